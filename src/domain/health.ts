import type { DeliveryId, EventId } from "./ids";

export const DISABLED_REASONS = ["failing", "gone", "unwanted", "exhausted"] as const;

/** The reason for which Hermod disabled an endpoint. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A failed attempt. `at` is Unix milliseconds; a status of 0 means no HTTP response. */
export type LastFailure = { at: number; status: number; error: string | null; errorDetail: string | null };

/** The event that a filter excluded, or the delivery that was sent to the endpoint alone. */
export type Filtered = { eventId: EventId; deliveryId: null } | { eventId: null; deliveryId: DeliveryId };

/**
 * What an endpoint's filter excluded because it failed, since the filter was changed. Times are Unix milliseconds. The error may
 * quote the payload, and is null for readers who may see none.
 */
export type FilterErrors = {
  since: number;
  count: number;
  last: { at: number; error: string | null } & Filtered;
};

export const HEALTH_STATES = ["healthy", "failing", "blocked", "disabled", "paused"] as const;

export type HealthState = (typeof HEALTH_STATES)[number];
