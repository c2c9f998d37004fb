import type { HealthChange, Instruction, Verdict } from "./outcome";
import { TUNING_LIMITS } from "./tuning";

/** Longest wait that a receiver can ask for. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

export type RetryPolicy = Readonly<{
  /** The wait after each failed attempt, milliseconds; after the last one the delivery fails. */
  schedule: readonly number[];
}>;

export type AttemptFacts = Readonly<{
  status: number;
  /** False also for a 2xx that came before the whole request was taken. */
  succeeded: boolean;
  /** How long the receiver asked us to stay away, milliseconds. */
  retryAfterMs: number | null;
  /** What the receiver asked for beside that. */
  instruction: Instruction | null;
  /** Statuses that the endpoint has named as final. */
  permanentStatuses: readonly number[];
  /** Attempts made, this one included. */
  attempts: number;
  /** True when a delivery in front used up its schedule: then this attempt is the only one. */
  hasSingleAttempt: boolean;
  /** True when the endpoint's last attempt failed, too, or none has succeeded since its rest. */
  isFailing: boolean;
  /** True when the failure is Hermod's, or its egress proxy's. */
  isOurFault: boolean;
  /** True when the signature was wrong on purpose. */
  isForged: boolean;
}>;

/** Each wait varies by this share in both directions, so that retries do not come in waves. */
const JITTER = 0.1;
const GONE = 410;
/** After a 429 without Retry-After, where there is no schedule. */
const DEFAULT_REST_MS = 1_000;

/**
 * Judges a delivery by its attempt. `random` is in [0, 1).
 *
 * The budget is the schedule, counted in attempts: waiting uses none of it. Once a delivery has used up its schedule, the
 * deliveries that waited behind it get one attempt each, with the schedule's first wait between them, until one succeeds. So the
 * queue of a dead receiver drains, and a receiver that is starting up is not sent its whole queue in vain.
 */
export function verdictOf(policy: RetryPolicy, facts: AttemptFacts, random: number): Verdict {
  if (facts.succeeded && !facts.isForged) return { kind: "delivered" };
  const waitFor = (ms: number) =>
    Math.round(Math.max(ms * (1 - JITTER + 2 * JITTER * random), askedFor(facts)));
  const wait = policy.schedule[facts.attempts - 1];
  const kind = isRefusedForgery(facts) ? "cancelled" : "failed";
  if (isFinal(facts) && !facts.hasSingleAttempt) return { kind, nextAfterMs: null };
  if (wait !== undefined && !facts.hasSingleAttempt) return { kind: "retry", afterMs: waitFor(wait) };
  const [first] = policy.schedule;
  return { kind, nextAfterMs: first === undefined ? 0 : waitFor(first) };
}

/**
 * The longest wait for a retry, milliseconds, of this schedule and of any that an endpoint may have. One that lies further
 * ahead was written before Postgres' clock was set back, and is over.
 */
export function longestWait(schedule: readonly number[]): number {
  const longest = Math.max(TUNING_LIMITS.retryMs.most, ...schedule);
  return Math.max(Math.ceil(longest * (1 + JITTER)), MAX_RETRY_AFTER_MS);
}

/**
 * How long the whole endpoint is left alone after an attempt, milliseconds; null: it goes on. A 429 always asks for it; a 503 only
 * with Retry-After, since others come from one of many servers and say nothing of the next request.
 */
export function restOf({ schedule }: RetryPolicy, facts: AttemptFacts): number | null {
  const asks = facts.status === 429 || (facts.status === 503 && facts.retryAfterMs !== null);
  if (!asks || facts.isOurFault || facts.isForged) return null;
  return Math.min(facts.retryAfterMs ?? schedule[0] ?? DEFAULT_REST_MS, MAX_RETRY_AFTER_MS);
}

/** Judges the endpoint by an attempt and by what became of the delivery. Postgres decides whether to set it inactive. */
export function healthOf(facts: AttemptFacts, verdict: Verdict): HealthChange {
  // The answer to a forgery says nothing of the answers to genuine requests.
  if (facts.isForged) return "none";
  if (facts.succeeded) return facts.isFailing ? "recovered" : "none";
  if (facts.isOurFault) return "none";
  if (facts.instruction === "disable") return "unwanted";
  if (facts.status === GONE) return "gone";
  return facts.isFailing && verdict.kind === "retry" ? "still_failing" : "failing";
}

/** Fails this delivery and says nothing of those behind it. */
function isFinal({ status, instruction, permanentStatuses, isForged }: AttemptFacts): boolean {
  return isForged || instruction === "abort-message" || permanentStatuses.includes(status);
}

/** A 4xx. Another answer, or none, does not say that the signature was judged. */
function isRefusedForgery({ status, isForged }: AttemptFacts): boolean {
  return isForged && status >= 400 && status < 500;
}

function askedFor(facts: AttemptFacts): number {
  return Math.min(facts.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
}
