import { inArray, lt } from "drizzle-orm";
import type { Database } from "../db/database";
import { traces } from "../db/schema";
import { eventIdFrom } from "../db/sql/event-key";
import { typed } from "../db/typed";
import { type DeliveryId, type EventId, isTraced, leastIdAt } from "../domain/ids";
import type { Traceparent } from "../domain/traceparent";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Batcher } from "../runtime/queues/batcher";

/** Traces are kept for a day: few backends show a trace that lasts longer. */
const KEPT_MS = 86_400_000;
/** Reading a trace delays its delivery for at most this long. */
const TIMEOUT_MS = 1_000;
const REMEMBERED = 10_000;
const BATCH = { maxItems: 500, maxRunning: 1, maxQueued: 10_000 } as const;

export type TraceStoreOptions = Readonly<{ db: Database; clock: Clock; log: Log }>;

/**
 * Finds the spans in which sampled deliveries were accepted. Intake stores them in the commit of the delivery, in a table of
 * its own, so that deliveries without a trace cost nothing. A delivery's id has a flag for a stored trace (`isTraced`). The
 * deliveries of an event share one trace.
 */
export class TraceStore {
  private readonly remembered = new BoundedMap<string, Traceparent>(REMEMBERED);
  private readonly reads: Batcher<string, Traceparent | null>;

  constructor(private readonly options: TraceStoreOptions) {
    this.reads = new Batcher({ ...BATCH, run: (ids) => this.read(ids) });
  }

  /** Spares this process reading a trace that it is about to store. */
  remember(id: DeliveryId | EventId, traceparent: Traceparent): void {
    this.remembered.set(id, traceparent);
  }

  /** Returns the span that continues a delivery's trace; null without a trace, or if it can't be read now. */
  async find(id: DeliveryId): Promise<Traceparent | null> {
    if (!isTraced(id)) return null;
    const known = this.remembered.get(id) ?? this.remembered.get(eventIdFrom(id));
    return known ?? this.reads.submit(id).catch((error) => this.failed(error));
  }

  /** Deletes old traces. */
  async forget(): Promise<void> {
    const before = leastIdAt(this.options.clock.now() - KEPT_MS);
    await this.options.db.run((sql) => typed(sql).delete(traces).where(lt(traces.id, before)));
  }

  private async read(ids: string[]): Promise<(Traceparent | null)[]> {
    const wanted = [...new Set(ids.flatMap((id) => [id, eventIdFrom(id)]))];
    const rows = await this.options.db.run(
      (sql) => typed(sql).select().from(traces).where(inArray(traces.id, wanted)),
      TIMEOUT_MS,
    );
    const found = new Map<string, Traceparent>(rows.map(({ id, traceparent }) => [id, traceparent]));
    return ids.map((id) => found.get(id) ?? found.get(eventIdFrom(id)) ?? null);
  }

  private failed(error: unknown): null {
    this.options.log.debug(describeError(error), "could not read a trace; its delivery continues without it");
    return null;
  }
}
