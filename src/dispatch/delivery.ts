import type { AccountId, DeliveryId } from "../domain/ids";
import type { Budget } from "../runtime/budget";
import type { Hint } from "../stream/hint";

/** A payload that is too large to wait in memory. It is read from Postgres when it may be sent. */
export type Stored = Readonly<{ bytes: number }>;

/** A delivery that waits for its attempt, with everything that the attempt needs. */
export type PendingDelivery = Readonly<{
  id: DeliveryId;
  accountId: AccountId;
  /** The delivery's number at its endpoint. */
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  data: string | Stored;
  /** The first delivery in a chain of resends, whose id receivers get. Null if this is not a resend. */
  replayOf: DeliveryId | null;
  /** The sender's own id for the event, which receivers get with every resend; null if there is none. */
  eventExternalId: string | null;
  /** Attempts recorded so far. */
  attemptCount: number;
  /** Recorded attempts that used no step of the schedule. */
  freeAttempts: number;
  /** True if the next attempt uses no step of the schedule; see the schema. */
  isFree: boolean;
  /** True if an earlier delivery used up its schedule, so that this one gets a single attempt; see `verdictOf`. */
  hasSingleAttempt: boolean;
}>;

/** Returns the characters of all payloads in memory. A loop, since it runs for every event of a lane. */
export function charactersOf(deliveries: Iterable<PendingDelivery>): number {
  let characters = 0;
  for (const { data } of deliveries) if (typeof data === "string") characters += data.length;
  return characters;
}

/** Returns the size of a payload, in memory or not. */
export function sizeOf({ data }: PendingDelivery): number {
  return typeof data === "string" ? data.length : data.bytes;
}

/** Returns the delivery of a hint; null without its payload, which is then read from Postgres. */
export function deliveryIn({
  id,
  accountId,
  sequence,
  event,
  orderingKey,
  eventExternalId,
  data,
}: Hint): PendingDelivery | null {
  // A replay travels without its payload, so a hint with one is never of a replay.
  if (data === null) return null;
  return {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    data,
    replayOf: null,
    eventExternalId,
    attemptCount: 0,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
}

/**
 * Most weight that all actors of a process hold, besides one delivery each and the results of running reads. Each actor has a
 * limit of its own, but thousands of endpoints may hang at once. While the budget is used up, actors take nothing from hints,
 * and one delivery at a time from Postgres. That is slower, but no endpoint stops.
 */
export const MAX_WEIGHT = 64 * 1_048_576;
/** Weight of a delivery beside its payload: its ids, and the objects that hold it. */
export const DELIVERY_WEIGHT = 512;

/** The part of the budget that one actor uses. A class, since a closure takes five times the memory (measured). */
export class MemoryShare {
  private weight = 0;

  constructor(private readonly memory: Pick<Budget, "change">) {}

  /** Sets how many deliveries the actor holds, and the characters of their payloads. */
  set(deliveries: number, characters: number): void {
    const before = this.weight;
    this.weight = deliveries * DELIVERY_WEIGHT + characters;
    this.memory.change(this.weight - before);
  }
}
