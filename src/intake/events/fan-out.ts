import type { AccountId, DeliveryId, EndpointId, EventId } from "../../domain/ids";
import type { Accepted, IdempotencyClaim, SendingRequest } from "../new-delivery";

/** An event to accept for every endpoint of its account that wants it. Inactive endpoints that skip events get none. */
export type FanOut = {
  /**
   * Made as `eventIdFrom(newId("wh", hops, traced))`. `hops` is the number of Hermod deliveries that led to the event, which
   * bounds loops.
   */
  id: EventId;
  accountId: AccountId;
  /** The account that a report of a feed is about. */
  about?: AccountId;
  /** Null matches only the filter `*`. */
  event: string | null;
  /** The ordering key of all deliveries of the event. */
  orderingKey: string | null;
  /** The sender's own id of the event; none by default. */
  externalId?: string | null;
  /** The payload's JSON text, byte for byte as the client sent it. */
  data: string;
  /** When the deliveries are due, in Unix milliseconds; at once by default. */
  dueAt?: number | null;
  idempotency: IdempotencyClaim | null;
  /** The endpoints whose filters refuse the payload. */
  refusedBy?: readonly EndpointId[];
  /** The `traceparent` of the sending request, if its trace is sampled. */
  traceparent?: string | null;
  /** The HTTP request that sent the event. Null for events of a feed. */
  request?: SendingRequest | null;
};

/** An accepted event with all its deliveries, ordered by the age of the endpoint. Empty if no endpoint wants the event. */
export type AcceptedEvent = Readonly<{
  id: EventId;
  event: string | null;
  orderingKey: string | null;
  externalId: string | null;
  deliveries: readonly Accepted[];
  /** Deliveries that wait because their endpoint is inactive. */
  held: readonly DeliveryId[];
  /** Endpoints that want the event and get no delivery, because they are inactive and skip events. */
  skipped: readonly EndpointId[];
}>;

/** The result of a fan-out. Only `accepted` wrote anything. */
export type FanOutResult =
  | { kind: "accepted"; event: AcceptedEvent }
  /** The same request was accepted with this key before; `event` is the answer given then. */
  | { kind: "replayed"; event: AcceptedEvent }
  | { kind: "key_conflict" }
  /** The event would go to more than `most` endpoints. */
  | { kind: "too_many_endpoints"; most: number }
  /** The request makes too many deliveries: `made` with this event; null if they were not counted. */
  | { kind: "over_request_limit"; made: number | null }
  | { kind: "over_monthly_limit"; limit: number };

/** Accepts events. Throws `QueueFull`, `ClientGone` or `DatabaseUnavailable`. */
export type FanOutIntake = { accept(fanOut: FanOut): Promise<FanOutResult> };
