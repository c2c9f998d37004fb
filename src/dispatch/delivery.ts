import type { AccountId, DeliveryId } from "../domain/ids";
import type { DeliveryMessage } from "../stream/message";

/** A payload too large to wait here: it is read from Postgres when it may go. */
export type Stored = Readonly<{ bytes: number }>;

/** A delivery that waits for its attempt, with all that the attempt needs. */
export type PendingDelivery = Readonly<{
  id: DeliveryId;
  accountId: AccountId;
  /** Its place in the endpoint's order. */
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  data: string | Stored;
  /** The first delivery of what this one sends again: receivers know both by its id. Null: it is none. */
  replayOf: DeliveryId | null;
  /** The sender's own id for the event, by which receivers know it and every resend; null is none. */
  eventExternalId: string | null;
  /** Attempts recorded so far. */
  attemptCount: number;
  /** A delivery in front used up its schedule, so this one gets one attempt; see `verdictOf`. */
  hasSingleAttempt: boolean;
}>;

/** Of the payloads that are at hand. A loop, since it runs for every event of a lane. */
export function charactersOf(deliveries: Iterable<PendingDelivery>): number {
  let characters = 0;
  for (const { data } of deliveries) if (typeof data === "string") characters += data.length;
  return characters;
}

/** Of a payload, at hand or not. */
export function sizeOf({ data }: PendingDelivery): number {
  return typeof data === "string" ? data.length : data.bytes;
}

/** The delivery that a message brings; null when it only tells of one, which is then read from Postgres. */
export function deliveryIn({
  id,
  accountId,
  sequence,
  event,
  orderingKey,
  eventExternalId,
  data,
}: DeliveryMessage): PendingDelivery | null {
  // A replay's payload does not travel, so what arrives is none.
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
    hasSingleAttempt: false,
  };
}
