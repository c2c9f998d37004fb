import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

export type PageOf<T> = { data: readonly T[]; cursor: string | null };
type Read<T> = (cursor: string | undefined) => Promise<PageOf<T>>;

/** Rows that are asked for at once. */
export const PAGE = 100;
/** Most requests without asking the reader: they count against the account's limit. */
const MOST_REQUESTS = 8;
/** How often the newest page is asked for, in milliseconds. */
const LOOK_EVERY_MS = 6_000;
/** Scrolled further than this, the list does not move what is being read: new rows collect. */
const READING_PX = 240;

/** A list, newest first, that grows page by page at its end and is kept current at its beginning. */
export class LiveList<T extends { id: string }> {
  readonly rows: Signal<readonly T[]> = signal([]);
  /** New rows that wait for the reader. */
  readonly fresh: Signal<readonly T[]> = signal([]);
  /** Null when there are no more. */
  readonly cursor: Signal<string | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly isLoaded = signal(false);
  readonly isBusy = signal(false);

  /** The end came into sight during another request. */
  private wantsMore = false;

  constructor(private readonly read: Read<T>) {}

  /** Reads the newest page. */
  async look(): Promise<void> {
    await this.exclusively(async () => {
      if (!this.isLoaded.value) return this.readOn(null);
      this.merge((await this.read(undefined)).data);
    });
  }

  async more(): Promise<void> {
    const cursor = this.cursor.value;
    if (cursor === null) return;
    this.wantsMore = this.isBusy.peek();
    await this.exclusively(() => this.readOn(cursor));
  }

  showFresh(): void {
    this.rows.value = [...this.fresh.value, ...this.rows.value];
    this.fresh.value = [];
    scrollTo({ top: 0 });
  }

  /** Replaces rows that have changed, and adds new ones on top, or beside while somebody reads further down. */
  merge(found: readonly T[]): void {
    const byId = new Map(found.map((row) => [row.id, row]));
    const update = (row: T) => {
      const next = byId.get(row.id) ?? row;
      byId.delete(row.id);
      return next;
    };
    const rows = this.rows.value.map(update);
    const fresh = this.fresh.value.map(update);
    const added = [...byId.values()];
    const isReading = this.isLoaded.value && scrollY > READING_PX;
    this.rows.value = isReading ? rows : [...added, ...fresh, ...rows];
    this.fresh.value = isReading ? [...added, ...fresh] : [];
  }

  /** Adds older rows until a page of them is there or none is left: a search answers with few at a time, or none. */
  private async readOn(cursor: string | null): Promise<void> {
    let at = cursor ?? undefined;
    let found = 0;
    for (let i = 0; i < MOST_REQUESTS; i++) {
      const page = await this.read(at);
      const known = new Set(this.rows.value.map(({ id }) => id));
      this.rows.value = [...this.rows.value, ...page.data.filter(({ id }) => !known.has(id))];
      this.cursor.value = page.cursor;
      this.isLoaded.value = true;
      found += page.data.length;
      if (page.cursor === null || found >= PAGE) return;
      at = page.cursor;
    }
  }

  private async exclusively(act: () => Promise<void>): Promise<void> {
    if (this.isBusy.peek()) return;
    this.isBusy.value = true;
    try {
      await act();
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.isBusy.value = false;
    }
    if (this.wantsMore && this.error.value === null) void this.more();
  }
}

/** The list of this key: another key reads another list. It is kept current while the page is visible. */
export function useLiveList<T extends { id: string }>(key: string, read: Read<T>): LiveList<T> {
  const list = useMemo(() => new LiveList(read), [key]);
  useEffect(() => {
    void list.look();
    const timer = setInterval(() => !document.hidden && void list.look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [list]);
  return list;
}
