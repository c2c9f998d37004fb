import type { AccountId, DeliveryId } from "./ids";

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
