import type { AccountId, DeliveryId, EndpointId, EventId } from "../../domain/ids";
import type { AcceptedDelivery, IdempotencyClaim } from "../sends/send";
import type { SendingRequest } from "../sends/sending-request";

/** One event to accept for every endpoint of its account whose filter it matches, unless it is inactive and skips events. */
export type FanOut = {
  accountId: AccountId;
  /** Null matches only the filter `*`. */
  event: string | null;
  /** Every delivery of the event gets it. */
  orderingKey: string | null;
  /** The sender's own id for it; none unless given. */
  externalId?: string | null;
  /** The payload's JSON text, byte for byte as the client sent it. */
  data: string;
  /** When its deliveries are due, Unix milliseconds; at once unless given. */
  dueAt?: number | null;
  idempotency: IdempotencyClaim | null;
  /** The endpoints whose filter refuses the payload, whatever its type. */
  refusedBy?: readonly EndpointId[];
  /** Deliveries of Hermod that led to these; none unless given. */
  hops?: number;
  /** Where the trace of the request goes on; null or absent without one. */
  traceparent?: string | null;
  /** The id that the event shall have; a new one unless given. */
  eventId?: EventId;
  /** Null: nobody's, as in an account's feed. */
  request?: SendingRequest | null;
};

/** An accepted event, with all its deliveries, the oldest endpoint's first; none when no endpoint wants it. */
export type AcceptedEvent = Readonly<{
  id: EventId;
  event: string | null;
  orderingKey: string | null;
  externalId: string | null;
  deliveries: readonly AcceptedDelivery[];
  /** The deliveries that wait because their endpoint is inactive. */
  held: readonly DeliveryId[];
  /** The endpoints whose filter it matches, and that get no delivery because they are inactive and skip events. */
  skipped: readonly EndpointId[];
}>;

/** What became of a fan-out. Everything but `accepted` left nothing behind. */
export type FanOutResult =
  | { kind: "accepted"; event: AcceptedEvent }
  /** The same key and request were accepted before: the answer given then. */
  | { kind: "replayed"; event: AcceptedEvent }
  | { kind: "key_conflict" }
  /** More endpoints want it than one event may go to. */
  | { kind: "too_many_endpoints"; most: number }
  /** The request makes too many deliveries: with this event as many as `made`, if that was counted. */
  | { kind: "over_request_limit"; made: number | null }
  | { kind: "over_monthly_limit"; limit: number };

/** Takes fan-outs; throws `QueueFull`, `ClientGone` or `DatabaseUnavailable`. */
export type FanOutIntake = { accept(fanOut: FanOut): Promise<FanOutResult> };
