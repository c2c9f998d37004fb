import { HermodError } from "./errors.ts";

/** The wait before the first retry when the service names none, milliseconds; it doubles each time. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** Who is asked to wait longer than this gets the error instead, milliseconds. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Busy or away for the moment, by the service or a gateway in front of it; every other answer is final. */
const PASSING = [429, 502, 503, 504];

export type Failure = {
  error: unknown;
  /** Whether the request may be sent again: it changes nothing, or not twice. */
  isRepeatable: boolean;
  /** How many retries there were. */
  retries: number;
  maxRetries: number;
};

/** How long to wait before the request is tried again, milliseconds; null: not at all. `random` is from 0 to 1. */
export function waitBeforeRetry(failure: Failure, random: number): number | null {
  const { error, isRepeatable, retries, maxRetries } = failure;
  if (!isRepeatable || retries >= maxRetries) return null;
  // Full jitter, so that clients that failed together do not come back together.
  const backoff = random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retries);
  if (!(error instanceof HermodError)) return backoff;
  if (!PASSING.includes(error.status)) return null;
  const asked = (error.retryAfter ?? 0) * 1_000;
  return asked > LONGEST_RETRY_AFTER_MS ? null : asked + backoff;
}
