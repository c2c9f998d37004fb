import { batch, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { MOST_ROWS } from "./most-rows";

export type PageOf<T> = { data: readonly T[]; cursor: string | null };
/** Reads a list page by page to its end, or until there are `most`. */
export async function readAllPages<T>(read: Read<T>, most: number): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const page: PageOf<T> = await read(cursor ?? undefined);
    found.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== null && found.length < most);
  return found;
}

type Read<T> = (cursor: string | undefined) => Promise<PageOf<T>>;

/** Rows that are asked for at once. */
export const PAGE = 100;
/** Most requests of one call of `more`; each counts against the account's limit. */
const MOST_REQUESTS = 8;
/** How often the newest page is asked for, in milliseconds. */
const CHECK_EVERY_MS = 6_000;
/** Scrolled further than this, somebody reads the list. */
const READING_PX = 240;

/** True if somebody points at a row or has the focus in one. Then no row may move. */
function isPointedAt(): boolean {
  return document.querySelector("[data-row]:is(:hover, :focus-within)") !== null;
}

/** True if no row may be added at the beginning, since somebody reads further down or points at a row. */
function isBeingRead(): boolean {
  return scrollY > READING_PX || isPointedAt();
}

/** Sort before and after all ids. */
const [FIRST_ID, LAST_ID] = ["", "~"] as const;

/** A list, newest first by id, that grows page by page at its end and is kept current at its beginning. */
export class LiveList<T extends { id: string }> {
  readonly rows: Signal<readonly T[]> = signal([]);
  /** New rows that wait for the reader. */
  readonly fresh: Signal<readonly T[]> = signal([]);
  /** The cursor behind the waiting rows, if unknown rows lie between them and `rows`. Null without such a gap. */
  readonly gap: Signal<string | null> = signal(null);
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
      const before = [...this.fresh.value, ...this.rows.value];
      const page = await this.read(undefined);
      batch(() => {
        this.dropGone(before, page);
        if (isPast(before, page) || this.isTooLong(page)) this.leaveGap(before, page);
        else this.extend(page);
        this.merge(page.data);
      });
    });
  }

  async more(): Promise<void> {
    const cursor = this.cursor.value;
    if (cursor === null) return;
    this.wantsMore = this.isBusy.peek();
    await this.exclusively(() => this.readOn(cursor));
  }

  showFresh(): void {
    this.takeFresh();
    scrollTo({ top: 0 });
  }

  /** Replaces rows that have changed, and adds new ones in their place, or beside while somebody reads the list. */
  merge(found: readonly T[]): void {
    const byId = new Map(found.map((row) => [row.id, row]));
    const update = (row: T) => byId.get(row.id) ?? row;
    batch(() => {
      this.rows.value = this.rows.value.map(update);
      const fresh = this.fresh.value.map(update);
      for (const { id } of [...this.rows.value, ...fresh]) byId.delete(id);
      this.fresh.value = [...byId.values(), ...fresh];
      if (!isBeingRead()) this.takeFresh();
    });
  }

  /** True if the list has grown by so many new rows that the newest page should replace it, or the rows that wait. */
  private isTooLong(page: PageOf<T>): boolean {
    const [waiting, shown] = [this.fresh.value.length, this.rows.value.length];
    if (isBeingRead()) return waiting > MOST_ROWS && isPast(this.rows.value, page);
    return waiting + shown > MOST_ROWS && page.data.length >= PAGE;
  }

  private takeFresh(): void {
    const older = this.gap.value === null ? this.rows.value : [];
    this.rows.value = newestFirst([...this.fresh.value, ...older]);
    this.cursor.value = this.gap.value ?? this.cursor.value;
    this.gap.value = null;
    this.fresh.value = [];
  }

  /** Removes the rows that were known before the page was read, and that the page should have but lacks. */
  private dropGone(before: readonly T[], page: PageOf<T>): void {
    const end = endOf(page);
    const found = new Set(page.data.map(({ id }) => id));
    const gone = new Set(before.flatMap(({ id }) => (id < end || found.has(id) ? [] : [id])));
    if (gone.size === 0 || isPointedAt()) return;
    const stays = ({ id }: T) => !gone.has(id);
    this.rows.value = this.rows.value.filter(stays);
    this.fresh.value = this.fresh.value.filter(stays);
  }

  /** Lets the page replace the list, once the reader is at the top. Keeps rows that arrived while the page was read. */
  private leaveGap(before: readonly T[], page: PageOf<T>): void {
    const known = new Set(before.map(({ id }) => id));
    const arrived = [...this.fresh.value, ...this.rows.value].filter(({ id }) => !known.has(id));
    this.fresh.value = newestFirst([...page.data, ...arrived]);
    this.gap.value = page.cursor;
  }

  /** Adds the page's rows behind the end of the list: others have left it, so the page reaches further. */
  private extend(page: PageOf<T>): void {
    const end = this.rows.value.at(-1)?.id;
    const older = page.data.filter(({ id }) => end === undefined || id < end);
    if (older.length === 0) return;
    this.rows.value = [...this.rows.value, ...older];
    this.cursor.value = page.cursor;
  }

  /** Adds older rows until a page of them is there or none is left: a search answers with few at a time, or none. */
  private async readOn(cursor: string | null): Promise<void> {
    let at = cursor ?? undefined;
    let found = 0;
    for (let i = 0; i < MOST_REQUESTS; i++) {
      const page = await this.read(at);
      this.rows.value = newestFirst([...page.data, ...this.rows.value]);
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

/** Sorts rows. Of rows with the same id it keeps the last. */
function newestFirst<T extends { id: string }>(rows: readonly T[]): readonly T[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** Returns the least id up to which a newest page has all rows. A page without rows may come from a search that goes on. */
function endOf<T extends { id: string }>({ data, cursor }: PageOf<T>): string {
  return cursor === null ? FIRST_ID : (data.at(-1)?.id ?? LAST_ID);
}

/** True if more than a page of rows is new, so that the page does not reach the known rows. */
function isPast<T extends { id: string }>(known: readonly T[], page: PageOf<T>): boolean {
  const end = endOf(page);
  return known.length > 0 && page.data.length >= PAGE && known.every(({ id }) => id < end);
}

/** The list of this key: another key reads another list. It is kept current while the page is visible. */
export function useLiveList<T extends { id: string }>(key: string, read: Read<T>): LiveList<T> {
  const list = useMemo(() => new LiveList(read), [key]);
  useEffect(() => {
    void list.look();
    const timer = setInterval(() => !document.hidden && void list.look(), CHECK_EVERY_MS);
    return () => clearInterval(timer);
  }, [list]);
  return list;
}
