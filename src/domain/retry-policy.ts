import { SETTINGS } from "./endpoint-settings";
import type { Verdict } from "./outcome";
import type { PendingDelivery } from "./pending-delivery";

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

/** Returns the step of the schedule whose wait follows if the attempt fails, from 0. A free attempt repeats the wait that it ended. */
export function stepOf({
  attemptCount,
  freeAttempts,
  isFree,
}: Pick<PendingDelivery, "attemptCount" | "freeAttempts" | "isFree">): number {
  const used = attemptCount - freeAttempts;
  return isFree ? Math.max(used - 1, 0) : used;
}

/** A failed attempt at a delivery that may be attempted again. */
export type FailedAttempt = Readonly<{
  step: number;
  /** True if no other attempt follows, because an earlier delivery used up its schedule. */
  isLast: boolean;
  /** True if the endpoint stops at a used up schedule. */
  stopsWhenExhausted: boolean;
  /** The waits in milliseconds after failed attempts. The delivery fails with the attempt after the last wait. */
  schedule: readonly number[];
  /** The wait that the receiver asked for; 0 for none. */
  askedMs: number;
  /** In [0, 1). */
  random: number;
}>;

/** Returns the verdict on a delivery after a failure: another attempt, the delivery's end, or a stop of the endpoint at it. */
export function verdictAfterFailure({
  step,
  isLast,
  stopsWhenExhausted,
  schedule,
  askedMs,
  random,
}: FailedAttempt): Extract<Verdict, { kind: "retry" | "stop" | "failed" }> {
  const asked = Math.min(askedMs, MAX_RETRY_AFTER_MS);
  const waitFor = (ms: number) => Math.round(Math.max(ms * (1 - JITTER + 2 * JITTER * random), asked));
  const wait = schedule[step];
  if (wait !== undefined && !isLast) return { kind: "retry", afterMs: waitFor(wait) };
  if (stopsWhenExhausted) return { kind: "stop" };
  const [first] = schedule;
  return { kind: "failed", nextAfterMs: first === undefined ? 0 : waitFor(first) };
}
