import { DatabaseUnavailable } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import { QueueFull } from "../runtime/batcher";
import { FairQueue } from "../runtime/fair-queue";
import { type DeliveryId, newId } from "../runtime/ids";
import {
  acceptEvents,
  type EventRow,
  eventIdFrom,
  mostEndpoints,
  type NumberedFanOut,
} from "./accept-events";
import { meterAt } from "./acceptance";
import type { Audience } from "./audience";
import type { FanOut, FanOutIntake, FanOutResult } from "./fan-out";
import type { IntakeOptions } from "./group-commit";
import { Known } from "./known";
import type { AcceptedDelivery } from "./send";
import { findTakenEvents, settleTaken } from "./taken-keys";
import { Twins } from "./twins";

/** Events in one commit; how many deliveries they make is bounded by the statement. */
const MAX_BATCH = 200;
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
const MAX_QUEUED_CHARACTERS = 64 * 1_048_576;

/** What becomes of an event in a commit; a promise when that is settled by itself. */
type Decided = FanOutResult | Promise<FanOutResult>;

type Waiting = {
  event: NumberedFanOut;
  resolve(result: Decided): void;
  reject(reason: unknown): void;
};

/**
 * The intake of events: like that of sends, and beside it, so that a large fan-out holds up only sends to its own
 * endpoints. Accounts take turns. Of an account, an event that is left for later goes before all that came after it.
 */
export class FanOutCommit implements FanOutIntake {
  private readonly queue = new FairQueue<Waiting>({
    ownerOf: ({ event }) => event.accountId,
    weigh: ({ event }) => event.data.length,
  });
  /** Null while nothing waits. */
  private working: Promise<void> | null = null;
  private readonly known: Known;
  private readonly twins = new Twins();

  constructor(
    private readonly options: IntakeOptions,
    private readonly audience: Audience = "events",
  ) {
    this.known = new Known(options.db);
  }

  accept(fanOut: FanOut): Promise<FanOutResult> {
    const numbered: NumberedFanOut = { ...fanOut, id: eventIdFrom(newId("wh", fanOut.hops)) };
    const submit = () => this.submit(numbered);
    const { accountId, idempotency } = fanOut;
    return idempotency ? this.twins.inTurn(`${accountId}/${idempotency.key}`, submit) : submit();
  }

  /** Events that wait for a commit. */
  get queued(): number {
    return this.queue.size;
  }

  /** Resolves once every event taken has its answer. */
  async drained(): Promise<void> {
    await this.working;
  }

  private submit(event: NumberedFanOut): Promise<FanOutResult> {
    const { promise, resolve, reject } = Promise.withResolvers<FanOutResult>();
    const waiting = { event, resolve, reject };
    this.queue.add(waiting);
    const shed = this.queue.shed(waiting, this.options.maxQueued, MAX_QUEUED_CHARACTERS);
    for (const each of shed) each.reject(new QueueFull());
    this.working ??= this.work();
    return promise;
  }

  private async work(): Promise<void> {
    // What arrives together is committed together.
    await new Promise(setImmediate);
    while (this.queue.size > 0) await this.commit(this.queue.take(MAX_BATCH, MAX_BATCH_CHARACTERS));
    this.working = null;
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.commitSome(batch.map(({ event }) => event));
      if (results.size === 0) throw new Error("no event was decided");
      this.queue.putBack(batch.filter(({ event }) => !results.has(event.id)));
      for (const { event, resolve } of batch) {
        const result = results.get(event.id);
        if (result) resolve(result);
      }
    } catch (error) {
      await this.fail(batch, error);
    }
  }

  private async fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (error instanceof DatabaseUnavailable) this.known.forgetAll();
    // An event that Postgres refuses must not take the others in its batch down with it.
    else if (batch.length > 1) return this.commitOneByOne(batch);
    for (const { reject } of batch) reject(error);
  }

  private async commitOneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const each of batch) await this.commit([each]);
  }

  /** The results of those that are decided: of the first at least. */
  private async commitSome(events: readonly NumberedFanOut[]): Promise<Map<DeliveryId, Decided>> {
    const rowsOf = Map.groupBy(await this.insert(events), (row) => row.eventId);
    this.publish(events, rowsOf);
    this.known.remember(events.filter(({ id }) => rowsOf.get(id)?.[0]?.kind === "accepted"));
    const isUntold = ({ id, idempotency }: NumberedFanOut) => !this.isFeed && idempotency && !rowsOf.has(id);
    const taken = await settleTaken(this.options.db, events.filter(isUntold), findTakenEvents, replayOf);
    const results = new Map<DeliveryId, Decided>();
    for (const event of events) {
      // One whose key was taken, and is no longer, is left for the next statement.
      const told = isUntold(event) ? null : resultOf(event, rowsOf.get(event.id) ?? []);
      const result = taken.get(event) ?? told;
      if (result) results.set(event.id, result);
    }
    return results;
  }

  private async insert(events: readonly NumberedFanOut[]): Promise<EventRow[]> {
    const { isFeed, known, audience } = this;
    const { db, clock, slot } = this.options;
    const meter = meterAt(clock.now(), slot);
    if (!isFeed) await known.ensureUsage(events, meter);
    // What a feed tells is no event type of the account's.
    const newEventTypes = isFeed ? [] : known.newEventTypes(events);
    return untilNoDeadlock(() => db.run((sql) => acceptEvents(sql, events, newEventTypes, meter, audience)));
  }

  private get isFeed(): boolean {
    return this.audience === "feed";
  }

  private publish(events: readonly NumberedFanOut[], rowsOf: Map<string, EventRow[]>): void {
    for (const { id: eventId, accountId, event, orderingKey, data } of events) {
      for (const row of rowsOf.get(eventId) ?? []) {
        if (row.kind !== "accepted") continue;
        const { id, endpointId, sequence, revision } = row;
        this.options.onAccepted(row.partition, {
          id,
          accountId,
          endpointId,
          sequence,
          event,
          orderingKey,
          revision,
          data,
        });
      }
    }
  }
}

function replayOf(deliveries: AcceptedDelivery[] | null): FanOutResult {
  return deliveries ? { kind: "replayed", deliveries } : { kind: "key_conflict" };
}

/** Null: left for the next statement. */
function resultOf(fanOut: NumberedFanOut, rows: readonly EventRow[]): FanOutResult | null {
  const [first] = rows;
  switch (first?.kind) {
    case "later":
      return null;
    case "over_monthly_limit":
      return { kind: "over_monthly_limit", limit: first.limit };
    case "too_many":
      return { kind: "too_many_endpoints", most: mostEndpoints(fanOut) };
    default:
      return { kind: "accepted", deliveries: deliveriesOf(fanOut, rows) };
  }
}

function deliveriesOf({ event, orderingKey }: FanOut, rows: readonly EventRow[]) {
  return rows
    .flatMap((row) => (row.kind === "accepted" ? [row] : []))
    .map(({ id, endpointId, sequence }) => ({ id, endpointId, event, orderingKey, sequence }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
