import { MAX_RETRY_AFTER_MS } from "../attempt/retry-after";
import { TUNING_LIMITS } from "../endpoints/tuning";
import type { HealthChange, Verdict } from "../recorder/outcome";

export type RetryPolicy = Readonly<{
  /** The wait after each failed attempt, milliseconds; after the last one the delivery fails. */
  schedule: readonly number[];
  /** An endpoint that did nothing but fail for this long is set inactive, milliseconds. */
  disableAfterMs: number;
}>;

export type AttemptFacts = Readonly<{
  status: number;
  /** False also for a 2xx that came before the whole request was taken. */
  succeeded: boolean;
  /** What a 429 or 503 asked for, milliseconds. */
  retryAfterMs: number | null;
  /** Attempts made, this one included. */
  attempts: number;
  /** When the delivery was accepted, Unix milliseconds. */
  acceptedAt: number;
  failingSince: number | null;
  now: number;
}>;

/** Each wait varies by this share in both directions, so that retries do not come in waves. */
const JITTER = 0.1;
const GONE = 410;

/** What an attempt's outcome means for its delivery. `random` is in [0, 1). */
export function verdictOf(policy: RetryPolicy, facts: AttemptFacts, random: number): Verdict {
  if (facts.succeeded) return { kind: "delivered" };
  const wait = policy.schedule[facts.attempts - 1];
  if (facts.status === GONE || wait === undefined || isWindowOver(policy, facts)) return { kind: "failed" };
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return { kind: "retry", afterMs: Math.round(Math.max(jittered, askedFor(facts))) };
}

/**
 * The longest wait for a retry, milliseconds, of this schedule and of any that an endpoint may have. One that lies further
 * ahead was written before Postgres' clock was set back, and is over.
 */
export function longestWait(schedule: readonly number[]): number {
  const longest = Math.max(TUNING_LIMITS.retryMs.most, ...schedule);
  return Math.max(Math.ceil(longest * (1 + JITTER)), MAX_RETRY_AFTER_MS);
}

/** What an attempt's outcome means for its endpoint. */
export function healthOf(policy: RetryPolicy, facts: AttemptFacts): HealthChange {
  if (facts.succeeded) return facts.failingSince === null ? "none" : "recovered";
  if (facts.status === GONE) return "gone";
  if (facts.failingSince === null) return "failing";
  return facts.now - facts.failingSince >= policy.disableAfterMs ? "disabled" : "none";
}

// What queued behind a dead receiver does not start the whole schedule anew.
function isWindowOver(policy: RetryPolicy, facts: AttemptFacts): boolean {
  const window = policy.schedule.reduce((sum, wait) => sum + wait, 0);
  return facts.now - facts.acceptedAt >= window;
}

function askedFor(facts: AttemptFacts): number {
  if (facts.status !== 429 && facts.status !== 503) return 0;
  return Math.min(facts.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
}
