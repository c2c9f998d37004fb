export const DISABLED_REASONS = ["failing", "gone", "unwanted", "exhausted"] as const;

/** The reason for which Hermod disabled an endpoint. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A failed attempt. `at` is Unix milliseconds; a status of 0 means no HTTP response. */
export type LastFailure = { at: number; status: number; error: string | null; errorDetail: string | null };

export const HEALTH_STATES = ["healthy", "failing", "blocked", "disabled", "paused"] as const;

export type HealthState = (typeof HEALTH_STATES)[number];
