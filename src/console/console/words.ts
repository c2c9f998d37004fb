import type { Attempt, Delivery, DeliveryDetail, Endpoint, WaitingFor } from "../../client/types";
import { rateWindowOf } from "../../domain/rate-limit";
import { count, duration, plural } from "../shared/format";
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
      return { icon: "send", tone: "accent", word: "Being sent" };
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
  return schedule === null ? made : `${attempts.length} of at most ${schedule.length + 1}`;
}

/** Returns a sentence with the reason for which a pending delivery waits. */
export function waitingSentence(delivery: DeliveryDetail): string {
  const waiting = delivery.waiting_for;
  const number = delivery.sequence === null ? "This delivery" : `#${count(delivery.sequence)}`;
  switch (waiting?.reason) {
    case "turn":
      return `${frontWords(delivery.place)} #${count(waiting.in_front?.sequence ?? 0)} is first; ${number} follows once everything before it is delivered, fails or is cancelled.`;
    case "retry":
      return `First. ${behindWords(delivery.behind)} until it is delivered, fails or is cancelled.`;
    case "pause":
      return "The endpoint is paused. Deliveries are kept in their order until it is resumed.";
    case "scheduled":
      return "It is scheduled. When it is due, it follows what the endpoint was sent before.";
    case "rest":
      return "The receiver asked Hermod to wait. Until then the endpoint is sent nothing, then one delivery at a time until one succeeds.";
    case "rate_limit":
      return `The rate limit, ${rateWords(waiting.rate_limit ?? 1)}, is used up.`;
    case "max_in_flight":
      return `${plural(waiting.max_in_flight ?? 0, "delivery is", "deliveries are")} in flight, which is as many as the endpoint takes at once.`;
    case "attempt":
      return `${number} is being sent now.`;
    default:
      return "";
  }
}

export type Counts = Readonly<{ delivered: number; failed: number; pending: number; cancelled: number }>;

export function countsOf(deliveries: readonly Pick<Delivery, "status">[]): Counts {
  const counts = { delivered: 0, failed: 0, pending: 0, cancelled: 0 };
  for (const { status } of deliveries) counts[status]++;
  return counts;
}

/** Writes counts: `766 deliveries: 416 delivered, 2 failed, 348 waiting.` Omits zeros. */
export function countsSentence(counts: Counts): string {
  const total = counts.delivered + counts.failed + counts.pending + counts.cancelled;
  const parts = [
    [counts.delivered, "delivered"],
    [counts.failed, "failed"],
    [counts.pending, "waiting"],
    [counts.cancelled, "cancelled"],
  ] as const;
  const named = parts.filter(([number]) => number > 0).map(([number, word]) => `${count(number)} ${word}`);
  if (named.length === 1 && total > 0) {
    const word = parts.find(([number]) => number > 0)?.[1] ?? "";
    return total === 1 ? `1 delivery, ${word}.` : `${count(total)} deliveries, all ${word}.`;
  }
  return `${plural(total, "delivery", "deliveries")}: ${named.join(", ")}.`;
}

/** Places are counted up to this many. */
const PLACES = 1_000;

function frontWords(place: number | undefined): string {
  if (place === undefined) return "";
  return place > PLACES
    ? `More than ${count(PLACES)} are in front.`
    : `${plural(place - 1, "is", "are")} in front.`;
}

function behindWords(behind: number | undefined): string {
  if (behind === undefined || behind === 0) return "What is sent next waits";
  return behind >= PLACES
    ? `${count(PLACES)} or more deliveries wait`
    : `${plural(behind, "delivery waits", "deliveries wait")}`;
}

/** Returns the reason for which a delivery in a list waits, in a few words. */
export function waitWords(waiting: WaitingFor | undefined): string {
  switch (waiting?.reason) {
    case "turn":
      return waiting.in_front ? `#${count(waiting.in_front.sequence)} in front` : "";
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
