import type { DeliveryId, EndpointId } from "../runtime/ids";
import type { SearchFilters } from "./lists/search";
import type { WaitingFor } from "./waiting";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const CANCEL_REASONS = ["endpoint_deleted", "event_filter", "requested", "erased"] as const;
/** Why a delivery ended otherwise than by an attempt: it was cancelled, or failed since it waited for too long. */
export const END_REASONS = [...CANCEL_REASONS, "expired"] as const;
export type EndReason = (typeof END_REASONS)[number];

/** A delivery as lists show it. Times are Unix milliseconds. */
export type DeliverySummary = {
  id: DeliveryId;
  endpointId: EndpointId;
  event: string | null;
  orderingKey: string | null;
  status: DeliveryStatus;
  attemptCount: number;
  /** Of the last attempt; 0 when it got no HTTP response, null before the first. */
  responseStatus: number | null;
  endReason: EndReason | null;
  createdAt: number;
};

export type Attempt = {
  /** From 1. */
  attempt: number;
  /** 0 when there was no HTTP response; then `error` says why. */
  status: number;
  error: string | null;
  errorDetail: string | null;
  location: string | null;
  startedAt: number;
  durationMs: number;
  /** The beginning of it. */
  responseBody: string | null;
};

/** Everything that is known about a delivery. */
export type DeliveryDetail = DeliverySummary & {
  /** The payload's JSON text, byte for byte as it was sent; null once it is erased. */
  data: string | null;
  /** Null unless the payload is erased. */
  erasedAt: number | null;
  /** The first delivery of what this one sends again; null when it is the first itself. */
  replayOf: DeliveryId | null;
  /** Null when the endpoint's filter kept it out of the order. */
  sequence: number | null;
  /** Null unless it waits for a retry. */
  nextAttemptAt: number | null;
  /** Null while pending. */
  completedAt: number | null;
  /** Null unless pending. */
  waitingFor: WaitingFor | null;
  /** In their order. */
  attempts: Attempt[];
};

/** What a list may be narrowed to by what is counted or indexed; what is left out narrows nothing. */
export type DeliveryFilters = {
  endpointId?: EndpointId | undefined;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
};

/** The same, and what is looked for in each delivery. */
export type DeliverySearch = DeliveryFilters & SearchFilters;

/** When deliveries were accepted, Unix milliseconds: from the first, inclusive, to the second, exclusive. */
export type CreatedRange = { createdFrom?: number | undefined; createdBefore?: number | undefined };
