import { type Signal, signal } from "@preact/signals";

type PageOf<T> = { data: readonly T[]; cursor: string | null };

/** A list that grows page by page, each from the cursor of the one before. */
export class PagedList<T> {
  readonly rows: Signal<readonly T[]> = signal([]);
  /** Null when there are no more. */
  readonly cursor: Signal<string | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly isLoaded = signal(false);
  private isBusy = false;

  constructor(private readonly read: (cursor: string | undefined) => Promise<PageOf<T>>) {}

  /** Reads the first page, then the next one. */
  async more(): Promise<void> {
    if (this.isBusy || (this.isLoaded.value && this.cursor.value === null)) return;
    this.isBusy = true;
    try {
      const { data, cursor } = await this.read(this.cursor.value ?? undefined);
      this.rows.value = [...this.rows.value, ...data];
      this.cursor.value = cursor;
      this.error.value = null;
      this.isLoaded.value = true;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.isBusy = false;
    }
  }
}
