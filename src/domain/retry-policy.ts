import { SETTINGS } from "./endpoint-settings";

/** Longest wait that a receiver can request. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Each wait varies by this share in both directions, so that retries do not come in waves. */
export const JITTER = 0.1;

/**
 * Returns the longest wait for a retry in milliseconds, of this schedule and of any endpoint's schedule. A retry further ahead was
 * written before Postgres' clock was set back, and is due.
 */
export function longestWait(schedule: readonly number[]): number {
  const longest = Math.max(SETTINGS.retry_schedule_ms.each.most, ...schedule);
  return Math.max(Math.ceil(longest * (1 + JITTER)), MAX_RETRY_AFTER_MS);
}
