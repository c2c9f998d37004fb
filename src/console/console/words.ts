import type { Attempt, Delivery, DeliveryDetail, Endpoint, WaitingFor } from "../../client/types";
import { lookOfStatus } from "../pages/states";
import { answerOf } from "../shared/answer";
import { count, duration, pendingWords, plural } from "../shared/format";
import type { Look } from "../shared/look";
import { WAIT_LOOKS } from "../shared/waiting-words";

type LookFacts = Pick<Delivery, "status" | "attempt_count"> & {
  cancel_reason?: string;
  waiting_for?: WaitingFor;
};

/** Returns the look of a delivery: by the reason if it waits for anything but its retry. */
export function lookOf(delivery: LookFacts): Look {
  const { status, cancel_reason, waiting_for: waiting } = delivery;
  if (status === "pending" && waiting) return WAIT_LOOKS[waiting.reason] ?? lookOfStatus(delivery);
  const look = lookOfStatus(delivery);
  return cancel_reason === "event_filter" ? { ...look, word: "Filtered out" } : look;
}

/** Writes the waits of a retry schedule: `1 s, 5 s, 30 s`. */
export function scheduleWords(waits: readonly number[]): string {
  return waits.map(duration).join(", ");
}

type Attempted = Pick<DeliveryDetail, "status"> & { attempts: readonly Pick<Attempt, "status">[] };
type Trying = Pick<Endpoint, "permanent_statuses" | "retry_schedule_ms">;

/**
 * Returns the number of attempts, and the reason if a delivery failed before its schedule was used up. Attempts on request are
 * beside the schedule, and the schedule may have been another one at the time, so neither number is a part of the other.
 */
export function attemptsWords({ status, attempts }: Attempted, endpoint: Trying | null): string {
  const made = plural(attempts.length, "attempt", "attempts");
  const last = attempts.at(-1)?.status ?? 0;
  if (status === "failed" && endpoint?.permanent_statuses.includes(last))
    return `${made}: ${last} fails a delivery at once here`;
  const schedule = endpoint?.retry_schedule_ms ?? null;
  return schedule === null ? made : `${made}; the schedule has ${schedule.length + 1}`;
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
  return waiting ? (WAIT_LOOKS[waiting.reason]?.brief?.(waiting) ?? "") : "";
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

type StuckFacts = Readonly<{ pending: number; head: Pick<Pending, "waiting_for"> }>;

/** Says what a stuck order waits for, and how many deliveries it has: `The first is retried; 11 wait behind it.` */
export function stuckOrderWords({ pending, head }: StuckFacts, isComplete: boolean): string {
  const first = `The first ${STUCK[head.waiting_for?.reason ?? "retry"] ?? "is retried"}`;
  const behind = `${plural(pending - 1, "waits", "wait")} behind it`;
  if (isComplete) return pending === 1 ? `${first}.` : `${first}; ${behind}.`;
  return `${first}; at least ${behind}.`;
}

/** What the head of a stuck order waits for, if it is not its retry. */
const STUCK: Readonly<Partial<Record<WaitingFor["reason"], string>>> = {
  pause: "waits until the endpoint is resumed",
  rest: "waits until the receiver's rest is over",
  receiver: "waits for its receiver",
};

/** Returns the reason for which the first delivery of a backlog waits, in a few words. */
export function whyWords({
  attempt_count: attempts,
  response_status: status,
  waiting_for: waiting,
}: Pending): string {
  const why = waiting && WAIT_LOOKS[waiting.reason]?.why;
  if (why) return why(waiting);
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
