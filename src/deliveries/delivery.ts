import type { DeliveryStatus, EndReason } from "../domain/delivery-status";
import type { DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { SearchFilters } from "./lists/search";
import type { Place, WaitingFor } from "./waiting";

/** A delivery as lists show it. Times are Unix milliseconds. */
export type DeliverySummary = {
  id: DeliveryId;
  endpointId: EndpointId;
  /** Null if the endpoint's filter kept it out of the order. */
  sequence: number | null;
  event: string | null;
  orderingKey: string | null;
  status: DeliveryStatus;
  attemptCount: number;
  /** The last attempt's status; 0 without an HTTP response, null before the first attempt. */
  responseStatus: number | null;
  endReason: EndReason | null;
  createdAt: number;
};

export type Attempt = {
  /** Starts at 1. */
  attempt: number;
  /** 0 without an HTTP response; then `error` says why. */
  status: number;
  error: string | null;
  errorDetail: string | null;
  location: string | null;
  startedAt: number;
  durationMs: number;
  /** The start of the response body. */
  responseBody: string | null;
  /** Decode it with `decodeExchange`; null if it was not recorded. */
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
  /** The event that it, or its original, was sent as; null if it was sent as a webhook. */
  eventId: EventId | null;
  /** The sender's own id for the event. */
  eventExternalId: string | null;
  /** When it is, or was, due, Unix milliseconds; null: it was not scheduled. */
  dueAt: number | null;
  /** Null unless it waits for a retry. */
  nextAttemptAt: number | null;
  /** Null while pending. */
  completedAt: number | null;
  /** Null unless pending. */
  waitingFor: WaitingFor | null;
  /** Null unless pending. */
  place: Place | null;
  /** Sorted by number. */
  attempts: Attempt[];
};

/** Filters of a list that have a counter or an index; absent ones filter nothing. */
export type DeliveryFilters = {
  endpointId?: EndpointId | undefined;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
};

/** Filters of a list, including those that need a search. */
export type DeliverySearch = DeliveryFilters & SearchFilters;

/** When deliveries were accepted, Unix milliseconds: from the first (inclusive) to the second (exclusive). */
export type CreatedRange = { createdFrom?: number | undefined; createdBefore?: number | undefined };
