import type { DeliveryStatus, EndReason } from "../domain/delivery-status";
import type { DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { OrderPosition, WaitingFor } from "./waiting";

/** A delivery in a list. Times are Unix milliseconds. */
export type DeliverySummary = {
  id: DeliveryId;
  endpointId: EndpointId;
  /** Null for a scheduled delivery that is not due, or that the endpoint's filter excluded. */
  sequence: number | null;
  event: string | null;
  orderingKey: string | null;
  status: DeliveryStatus;
  attemptCount: number;
  /** The last attempt's status; 0 without an HTTP response, null before the first attempt. */
  responseStatus: number | null;
  endReason: EndReason | null;
  createdAt: number;
  /** Null while pending. */
  completedAt: number | null;
};

export type Attempt = {
  /** Starts at 1. */
  attempt: number;
  /** The HTTP status; 0 without a response, and then `error` has the reason. */
  status: number;
  error: string | null;
  errorDetail: string | null;
  location: string | null;
  startedAt: number;
  durationMs: number;
  /** The start of the response body. */
  responseBody: string | null;
  /** True if the receiver read the delivery, so that there was no exchange. */
  isPulled: boolean;
  /** The encoded exchange, for `decodeExchange`; null if it was not recorded. */
  exchange: string | null;
};

/** A delivery with all its details. */
export type DeliveryDetail = DeliverySummary & {
  /** The payload's JSON text, byte for byte as it was sent; null once it is erased. */
  data: string | null;
  /** Null unless the payload is erased. */
  erasedAt: number | null;
  /** The first delivery of the chain of resends; null if this is the first. */
  replayOf: DeliveryId | null;
  /** The event of the delivery or of its original; null if it was sent to one endpoint. */
  eventId: EventId | null;
  /** The sender's own id of the event; null for none. */
  eventExternalId: string | null;
  /** The time at which it is or was due, Unix milliseconds; null if it was not scheduled. */
  dueAt: number | null;
  /** Null unless it waits for a retry. */
  nextAttemptAt: number | null;
  /** Null unless pending. */
  waitingFor: WaitingFor | null;
  /** Null unless pending. */
  place: OrderPosition | null;
  /** Sorted by number. */
  attempts: Attempt[];
};

/** Filters of a list that have a counter or an index; absent ones filter nothing. */
export type DeliveryFilters = {
  endpointId?: EndpointId | undefined;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
};

/** The range of times of acceptance, Unix milliseconds. `createdBefore` is exclusive. */
export type CreatedRange = { createdFrom?: number | undefined; createdBefore?: number | undefined };
