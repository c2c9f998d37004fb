import { HermodError } from "./errors.ts";

/** The first wait if the service names none. Doubles each time. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** The longest Retry-After that the client waits for. Beyond it the caller gets the error. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Statuses of a temporary failure, of the service or its gateway. All other answers are final. */
const PASSING = [429, 502, 503, 504];

export type RequestFailure = {
  error: unknown;
  /** True if the request can be repeated without a second effect. */
  isRepeatable: boolean;
  /** The number of earlier retries. */
  retries: number;
  maxRetries: number;
};

/** Returns the wait before the next try in milliseconds; null for no retry. `random` is from 0 to 1. */
export function waitBeforeRetry(failure: RequestFailure, random: number): number | null {
  const { error, isRepeatable, retries, maxRetries } = failure;
  if (!isRepeatable || retries >= maxRetries) return null;
  // Full jitter, so that clients that failed together do not come back together.
  const backoff = random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retries);
  if (!(error instanceof HermodError)) return backoff;
  if (!PASSING.includes(error.status)) return null;
  const asked = (error.retryAfter ?? 0) * 1_000;
  return asked > LONGEST_RETRY_AFTER_MS ? null : asked + backoff;
}
