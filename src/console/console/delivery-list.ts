import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Delivery, WaitingFor } from "../../client/types";
import { call } from "../shared/api";
import { useLive } from "../shared/live";
import { serverNow } from "../shared/server-clock";
import { keyed } from "./data";
import { type Filters, queryOf } from "./delivery-filters";
import { PAGE, readOn } from "./paged-list";

/** A delivery of the list. The last fields are present if the service lists them. */
export type Row = Delivery & {
  sequence?: number | null;
  waiting_for?: WaitingFor;
  completed_at?: string | null;
};

/** Interval between reads of the newest page. */
const LOOK_EVERY_MS = 6_000;
/** If the reader has scrolled further than this, new rows are collected and not added, so that the rows do not move. */
const READING_PX = 240;

/** The deliveries of a filter, newest first, kept up to date. */
export class DeliveryList {
  readonly rows: Signal<readonly Row[]> = signal([]);
  /** New rows that are not shown yet. */
  readonly fresh: Signal<readonly Row[]> = signal([]);
  readonly cursor: Signal<string | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly isLoaded = signal(false);
  readonly isBusy = signal(false);

  constructor(private readonly filters: Filters) {}

  async look(): Promise<void> {
    await this.exclusively(async () => {
      if (!this.isLoaded.value) return this.readOn(null);
      const { data } = await this.ask();
      this.merge(data);
    });
  }

  async more(): Promise<void> {
    const cursor = this.cursor.value;
    if (cursor === null) return;
    await this.exclusively(() => this.readOn(cursor));
  }

  showFresh(): void {
    this.rows.value = [...this.fresh.value, ...this.rows.value];
    this.fresh.value = [];
    scrollTo({ top: 0 });
  }

  /** Replaces changed rows. Adds new rows on top, or collects them while the reader is further down. */
  merge(found: readonly Row[]): void {
    const byId = new Map(found.map((row) => [row.id, row]));
    const update = (row: Row) => {
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

  /** Adds older rows at the end. */
  private readOn(cursor: string | null): Promise<void> {
    return readOn<Row>(
      cursor,
      (at) => this.ask(at),
      (page) => {
        const known = new Set(this.rows.value.map(({ id }) => id));
        this.rows.value = [...this.rows.value, ...page.data.filter(({ id }) => !known.has(id))];
        this.cursor.value = page.cursor;
        this.isLoaded.value = true;
      },
    );
  }

  private async ask(cursor?: string) {
    // Keeps the range of the first request, since a cursor continues it and the range must not move with the clock.
    const query = { ...queryOf(this.filters, serverNow()), limit: PAGE, cursor };
    const page = await call("get", "/v1/webhooks", { query });
    if (!("data" in page))
      throw new Error("The list was answered by page numbers, though asked for by cursor");
    return page;
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
  }
}

/** True if the stream can serve the filters. It takes no time and no search; such lists are only polled. */
function streamed({ time, after, before, answer, error }: Filters): boolean {
  return (
    [after, before, answer, error].every((each) => each === null) &&
    time !== "yesterday" &&
    time !== "morning"
  );
}

export function useDeliveryList(filters: Filters): DeliveryList {
  const key = keyed(JSON.stringify(filters));
  const list = useMemo(() => new DeliveryList(filters), [key]);
  useEffect(() => {
    void list.look();
    const timer = setInterval(() => !document.hidden && void list.look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [list]);
  const { after: _after, before: _before, ...query } = queryOf(filters, serverNow());
  useLive(streamed(filters) ? "/v1/webhooks/tail" : null, query, (row) => {
    if (list.isLoaded.value) list.merge([row as Row]);
  });
  return list;
}
