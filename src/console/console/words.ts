import type { Attempt, Delivery, DeliveryDetail, Endpoint, WaitingFor } from "../../client/types";
import { rateWindowOf } from "../../domain/rate-limit";
import { answerOf } from "../shared/answer";
import { count, duration, pendingWords, plural } from "../shared/format";
import { HEALTH_MARKS, type Look } from "../shared/look";

type Seen = Pick<Delivery, "status" | "attempt_count"> & { cancel_reason?: string; waiting_for?: WaitingFor };

export function lookOf({ status, attempt_count, cancel_reason, waiting_for }: Seen): Look {
  switch (status) {
    case "delivered":
      return { icon: "check", tone: "ok", word: "Delivered" };
    case "failed":
      return { icon: "alert", tone: "bad", word: "Failed" };
    case "cancelled":
      return {
        icon: "slash",
        tone: "calm",
        word: cancel_reason === "event_filter" ? "Filtered out" : "Cancelled",
      };
    case "pending":
      return waitingLook(waiting_for, attempt_count);
  }
}

function waitingLook(waiting: WaitingFor | undefined, attempts: number): Look {
  switch (waiting?.reason) {
    case "turn":
      return { icon: "turn", tone: "calm", word: "Waits its turn" };
    case "pause":
      return { icon: "pause", tone: "calm", word: "Paused" };
    case "scheduled":
      return { icon: "clock", tone: "calm", word: "Scheduled" };
    case "attempt":
      return { icon: "send", tone: "accent", word: "Sending" };
    case "rest":
      return { icon: "clock", tone: "warn", word: "Receiver rests" };
    case "rate_limit":
    case "max_in_flight":
      return { icon: "turn", tone: "calm", word: "Waits for room" };
    default:
      return attempts > 0
        ? { icon: "clock", tone: "warn", word: "Will be retried" }
        : { icon: "clock", tone: "calm", word: "Waiting" };
  }
}

const HEALTH_WORDS: Readonly<Record<Endpoint["health"]["state"], string>> = {
  healthy: "Healthy",
  failing: "Failing",
  blocked: "Blocked",
  disabled: "Switched off",
  paused: "Paused",
};

export function lookOfHealth(state: Endpoint["health"]["state"]): Look {
  return { ...HEALTH_MARKS[state], word: HEALTH_WORDS[state] };
}

/** The endpoint's filter for people. */
export function eventsOf({ event_types }: Pick<Endpoint, "event_types">): string {
  return event_types.includes("*") ? "all events" : event_types.join(", ");
}

/** Writes the waits of a retry schedule: `1 s, 5 s, 30 s`. */
export function scheduleWords(waits: readonly number[]): string {
  return waits.map(duration).join(", ");
}

type Attempted = Pick<DeliveryDetail, "status"> & { attempts: readonly Pick<Attempt, "status">[] };
type Trying = Pick<Endpoint, "permanent_statuses" | "retry_schedule_ms">;

/** Returns the number of attempts, and the reason if a delivery failed before its schedule was used up. */
export function attemptsWords({ status, attempts }: Attempted, endpoint: Trying | null): string {
  const made = plural(attempts.length, "attempt", "attempts");
  const last = attempts.at(-1)?.status ?? 0;
  if (status === "failed" && endpoint?.permanent_statuses.includes(last))
    return `${made}: ${last} fails a delivery at once here`;
  const schedule = endpoint?.retry_schedule_ms ?? null;
  // The schedule may have been another one at the time of the attempts.
  if (schedule !== null && attempts.length > schedule.length + 1) return made;
  return schedule === null ? made : `${attempts.length} of at most ${schedule.length + 1}`;
}

type Ordered = Pick<Endpoint, "ordering">;

/** Returns a sentence with the reason for which a pending delivery waits. `endpoint` is null until it is known. */
export function waitingSentence(delivery: DeliveryDetail, endpoint: Ordered | null): string {
  const waiting = delivery.waiting_for;
  const number = delivery.sequence === null ? "This delivery" : `#${count(delivery.sequence)}`;
  switch (waiting?.reason) {
    case "turn":
      return `${capital(frontWords(waiting))}. #${count(waiting.in_front?.sequence ?? 0)} is first; ${number} follows once everything before it is delivered, fails or is cancelled.`;
    case "retry":
      return endpoint === null || endpoint.ordering === "unordered"
        ? "It waits for its next attempt."
        : `It waits for its next attempt. ${behindWords(delivery)}`;
    case "pause":
      return "The endpoint is paused. Its deliveries are kept until it is resumed.";
    case "scheduled":
      return "It is scheduled. When it is due, it follows what the endpoint was sent before.";
    case "rest":
      return "The receiver asked Hermod to wait. Until then the endpoint is sent nothing, then one delivery at a time until one succeeds.";
    case "rate_limit":
      return `The rate limit, ${rateWords(waiting.rate_limit ?? 1)}, is used up.`;
    case "max_in_flight":
      return `The endpoint takes ${plural(waiting.max_in_flight ?? 0, "delivery", "deliveries")} at once, and as many are before it.`;
    case "attempt":
      return `${number} is next: its attempt is under way or about to begin.`;
    default:
      return "";
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Writes how many deliveries are in front: `3 in front`, `at least 1,000 in front`. */
function frontWords({ ahead }: WaitingFor): string {
  if (!ahead) return "others in front";
  return `${ahead.complete ? "" : "at least "}${count(Math.max(1, ahead.count))} in front`;
}

function behindWords({ behind = 0, behind_complete: isComplete = true }: DeliveryDetail): string {
  if (behind === 0) return isComplete ? "Nothing waits behind it." : "";
  const waiting = plural(behind, "delivery waits", "deliveries wait");
  return `${isComplete ? waiting : capital(`at least ${waiting}`)} until it is delivered, fails or is cancelled.`;
}

export type Counts = Readonly<{ delivered: number; failed: number; pending: number; cancelled: number }>;

export function countsOf(deliveries: readonly Pick<Delivery, "status">[]): Counts {
  const counts = { delivered: 0, failed: 0, pending: 0, cancelled: 0 };
  for (const { status } of deliveries) counts[status]++;
  return counts;
}

/** Writes counts: `766 deliveries: 416 delivered, 2 failed, 348 waiting.` Omits zeros. */
export function countsSentence(counts: Counts): string {
  const outcomes = outcomesIn(counts);
  const total = outcomes.reduce((sum, [number]) => sum + number, 0);
  if (total === 0) return "No deliveries.";
  return `${plural(total, "delivery", "deliveries")}${outcomes.length === 1 ? "," : ":"} ${outcomesOf(counts)}.`;
}

/** Writes outcomes: `416 delivered, 2 failed`, or `all delivered`. */
export function outcomesOf(counts: Counts): string {
  const outcomes = outcomesIn(counts);
  const [first] = outcomes;
  if (first && outcomes.length === 1) return first[0] === 1 ? first[1] : `all ${first[1]}`;
  return outcomes.map(([number, word]) => `${count(number)} ${word}`).join(", ");
}

function outcomesIn({ delivered, failed, pending, cancelled }: Counts) {
  const outcomes = [
    [delivered, "delivered"],
    [failed, "failed"],
    [pending, "waiting"],
    [cancelled, "cancelled"],
  ] as const;
  return outcomes.filter(([number]) => number > 0);
}

/** Returns the reason for which a delivery in a list waits, in a few words. */
export function waitWords(waiting: WaitingFor | undefined): string {
  switch (waiting?.reason) {
    case "turn":
      return frontWords(waiting);
    case "pause":
      return "until resumed";
    case "rate_limit":
      return "rate limit";
    case "max_in_flight":
      return "room at the endpoint";
    default:
      return "";
  }
}

type Pending = Pick<Delivery, "attempt_count" | "response_status"> & { waiting_for?: WaitingFor };

/** True if the pending delivery's attempt is under way or about to begin, or if it has just ended. */
export function isUnderWay({ waiting_for: waiting }: Pick<Pending, "waiting_for">): boolean {
  return waiting === undefined || waiting.reason === "attempt";
}

/** Says that an endpoint's backlog shrinks: `Sending, 3 left`. */
export function sendingWords(pending: number): string {
  return `Sending, ${pendingWords(pending)} left`;
}

/** Says how many deliveries a stuck order has: `The first is retried; 11 wait behind it.` */
export function stuckOrderWords(pending: number, isComplete: boolean): string {
  const behind = plural(pending - 1, "waits", "wait");
  if (isComplete)
    return pending === 1 ? "The first is retried." : `The first is retried; ${behind} behind it.`;
  return `The first is retried; at least ${behind} behind it.`;
}

/** Returns the reason for which the first delivery of a backlog waits, in a few words. */
export function whyWords({
  attempt_count: attempts,
  response_status: status,
  waiting_for: waiting,
}: Pending): string {
  if (waiting?.reason === "pause") return "until it is resumed";
  if (waiting?.reason === "rate_limit") return rateWords(waiting.rate_limit ?? 1);
  if (attempts === 0) return waitWords(waiting);
  return status === null || status === 0
    ? "got no answer"
    : `last answered ${answerOf({ status, error: null })}`;
}

/** Returns the delivery's status, with the reason for which it waits if it fits. */
export function pillWord(delivery: DeliveryDetail): string {
  const { status, attempt_count: attempts, waiting_for: waiting, failure_reason, cancel_reason } = delivery;
  if (status === "failed" && failure_reason === "expired") return "Expired";
  if (status === "pending" && waiting?.reason === "retry") return `Waiting for attempt ${attempts + 1}`;
  if (status === "cancelled" && cancel_reason === "endpoint_deleted") return "Cancelled: endpoint deleted";
  if (status === "cancelled" && cancel_reason === "erased") return "Cancelled: payload erased";
  return lookOf(delivery).word;
}

/** Returns the words for a rate limit, such as "1 attempt in 2 seconds" for 0.5. */
export function rateWords(limit: number): string {
  const { starts, ms } = rateWindowOf(limit);
  const attempts = plural(starts, "attempt", "attempts");
  return ms === 1_000 ? `${attempts} a second` : `${attempts} in ${duration(ms)}`;
}
