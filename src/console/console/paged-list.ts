import { type Signal, signal } from "@preact/signals";

type PageOf<T> = { data: readonly T[]; cursor: string | null };

/** Rows that are asked for at once. */
export const PAGE = 100;
/** Most requests without asking the reader: they count against the account's limit. */
const MOST_REQUESTS = 8;

/** Reads on from a cursor until a page of rows is there or none is left: a search answers with few at a time, or none. */
export async function readOn<T>(
  cursor: string | null,
  read: (cursor: string | undefined) => Promise<PageOf<T>>,
  show: (page: PageOf<T>) => void,
): Promise<void> {
  let at = cursor ?? undefined;
  let found = 0;
  for (let i = 0; i < MOST_REQUESTS; i++) {
    const page = await read(at);
    show(page);
    found += page.data.length;
    if (page.cursor === null || found >= PAGE) return;
    at = page.cursor;
  }
}

/** A list that grows page by page, each from the cursor of the previous page. */
export class PagedList<T> {
  readonly rows: Signal<readonly T[]> = signal([]);
  /** The cursor of the next page; null after the last page. */
  readonly cursor: Signal<string | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly isLoaded = signal(false);
  readonly isBusy = signal(false);

  constructor(private readonly read: (cursor: string | undefined) => Promise<PageOf<T>>) {}

  /** Reads the first page, then the next one. */
  async more(): Promise<void> {
    if (this.isBusy.peek() || (this.isLoaded.value && this.cursor.value === null)) return;
    this.isBusy.value = true;
    try {
      await readOn(this.cursor.value, this.read, ({ data, cursor }) => {
        this.rows.value = [...this.rows.value, ...data];
        this.cursor.value = cursor;
        this.error.value = null;
        this.isLoaded.value = true;
      });
    } catch (error) {
      this.error.value = error;
    } finally {
      this.isBusy.value = false;
    }
  }
}
