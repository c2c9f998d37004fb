import { SETTINGS } from "./endpoint-settings";
import type { HealthChange, Instruction, Verdict } from "./outcome";

/** Longest wait that a receiver can request. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

export type RetryPolicy = Readonly<{
  /** The waits in milliseconds after failed attempts. The delivery fails with the attempt after the last wait. */
  schedule: readonly number[];
}>;

export type AttemptFacts = Readonly<{
  status: number;
  /** False also for a 2xx that came before the whole request was written. */
  succeeded: boolean;
  /** The wait that the receiver requested, in milliseconds; null for none. */
  retryAfterMs: number | null;
  /** The receiver's instruction in `webhook-delivery`. */
  instruction: Instruction | null;
  /** Statuses that fail a delivery of the endpoint at once. */
  permanentStatuses: readonly number[];
  /** Number of attempts, including this one. */
  attempts: number;
  /** True if an earlier delivery used up its schedule. Then this attempt is the only one. */
  hasSingleAttempt: boolean;
  /** True if the endpoint stops at a delivery that used up its schedule. */
  stopsWhenExhausted: boolean;
  /** True if the endpoint's last attempt failed too, or no attempt has succeeded since its rest. */
  isFailing: boolean;
  /** True if Hermod, its egress proxy or its mail server caused the failure. */
  isOurFault: boolean;
  /** True if the signature was wrong on purpose. */
  isForged: boolean;
}>;

/** Each wait varies by this share in both directions, so that retries do not come in waves. */
const JITTER = 0.1;
const GONE = 410;
/** The rest after a 429 without Retry-After, if the schedule is empty. */
const DEFAULT_REST_MS = 1_000;

/**
 * Returns the verdict on a delivery after an attempt. `random` is in [0, 1).
 *
 * The schedule is a budget of attempts, and waiting uses none. Once a delivery has used it up, the deliveries behind it get one
 * attempt each, with the schedule's first wait between them, until one succeeds. So the queue of a dead receiver drains, and a
 * receiver that is starting up does not lose its whole queue. An endpoint that stops when exhausted passes none: the delivery
 * gets one more attempt each time that a person resumes.
 */
export function verdictOf(policy: RetryPolicy, facts: AttemptFacts, random: number): Verdict {
  if (facts.succeeded && !facts.isForged) return { kind: "delivered" };
  const waitFor = (ms: number) =>
    Math.round(Math.max(ms * (1 - JITTER + 2 * JITTER * random), askedFor(facts)));
  const wait = policy.schedule[facts.attempts - 1];
  const kind = isRefusedForgery(facts) ? "cancelled" : "failed";
  const isOnlyAttempt = facts.hasSingleAttempt && !facts.stopsWhenExhausted;
  if (isFinal(facts) && !isOnlyAttempt) return { kind, nextAfterMs: null };
  if (wait !== undefined && !isOnlyAttempt) return { kind: "retry", afterMs: waitFor(wait) };
  if (facts.stopsWhenExhausted) return { kind: "stop" };
  const [first] = policy.schedule;
  return { kind, nextAfterMs: first === undefined ? 0 : waitFor(first) };
}

/**
 * Returns the longest wait for a retry in milliseconds, of this schedule and of any endpoint's schedule. A retry further ahead was
 * written before Postgres' clock was set back, and is due.
 */
export function longestWait(schedule: readonly number[]): number {
  const longest = Math.max(SETTINGS.retry_schedule_ms.each.most, ...schedule);
  return Math.max(Math.ceil(longest * (1 + JITTER)), MAX_RETRY_AFTER_MS);
}

/**
 * Returns the rest of the whole endpoint after an attempt, in milliseconds; null for none. A 429 always requests a rest; a 503
 * only with Retry-After, since other 503s come from one of many servers, and the next request may succeed.
 */
export function restOf({ schedule }: RetryPolicy, facts: AttemptFacts): number | null {
  const asks = facts.status === 429 || (facts.status === 503 && facts.retryAfterMs !== null);
  if (!asks || facts.isOurFault || facts.isForged) return null;
  return Math.min(facts.retryAfterMs ?? schedule[0] ?? DEFAULT_REST_MS, MAX_RETRY_AFTER_MS);
}

/** Returns the effect of an attempt and its verdict on the endpoint's health. Postgres decides about inactivity. */
export function healthOf(facts: AttemptFacts, verdict: Verdict): HealthChange {
  // The answer to a forged request does not show the health for genuine requests.
  if (facts.isForged) return "none";
  if (facts.succeeded) return facts.isFailing ? "recovered" : "none";
  if (facts.instruction === "disable" && !facts.isOurFault) return "unwanted";
  if (verdict.kind === "stop") return "exhausted";
  if (facts.isOurFault) return "none";
  if (facts.status === GONE) return "gone";
  return facts.isFailing && verdict.kind === "retry" ? "still_failing" : "failing";
}

/** True if the delivery fails at once, without an effect on the deliveries behind it. */
function isFinal({ status, instruction, permanentStatuses, isForged }: AttemptFacts): boolean {
  return isForged || instruction === "abort-message" || permanentStatuses.includes(status);
}

/** True for a 4xx to a forged request. Other answers do not show that the receiver checked the signature. */
function isRefusedForgery({ status, isForged }: AttemptFacts): boolean {
  return isForged && status >= 400 && status < 500;
}

function askedFor(facts: AttemptFacts): number {
  return Math.min(facts.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
}
