import type { Attempt, DeliveryDetail, Endpoint } from "../../client/types";
import { answerOf, isGood } from "../shared/answer";
import { count, duration, plural } from "../shared/format";
import { at, strong } from "../shared/sentence";
import { type AuditEntry, actorWords, operationWords } from "./change-words";
import { REASONS } from "./endpoint-sentences";
import { type HalfHour, type Happening, troublesOf } from "./strip-sentences";

type Change = Pick<AuditEntry, "at" | "operation" | "actor" | "before" | "after">;

type Told = Pick<
  DeliveryDetail,
  | "status"
  | "sequence"
  | "created_at"
  | "completed_at"
  | "deliver_after"
  | "cancel_reason"
  | "failure_reason"
  | "attempts"
>;

/** Says what happened to a delivery, in the order in which it happened. */
export function deliveryHistory(
  delivery: Told,
  changes: readonly Change[],
  now: number,
): readonly Happening[] {
  const { created_at, deliver_after: due } = delivery;
  const isDue = due != null && Date.parse(due) <= now;
  return inOrder([
    { at: created_at, sentence: [acceptedWords(delivery)] },
    ...(isDue && delivery.sequence !== null ? [{ at: due, sentence: ["It was due."] }] : []),
    ...runsOf(delivery.attempts).map(runHappening),
    ...changes.map((change) => ({
      at: change.at,
      sentence: [`${actorWords(change)} ${deliveryVerb(change)}.`],
    })),
    ...ending(delivery),
  ]);
}

function acceptedWords({ sequence, deliver_after: due, cancel_reason: reason }: Told): string {
  if (reason === "event_filter") return "It was accepted, and not sent: the endpoint's filter excludes it.";
  if (due != null) return "It was accepted, to be sent later.";
  return sequence === null ? "It was accepted." : `It was accepted, as #${count(sequence)} of its endpoint.`;
}

/** Attempts one after the other that ended the same way. */
type Run = readonly [first: Attempt, ...rest: Attempt[]];

function runsOf(attempts: readonly Attempt[]): readonly Run[] {
  const runs: [Attempt, ...Attempt[]][] = [];
  for (const attempt of attempts) {
    const running = runs.at(-1);
    if (running && answerOf(running[0]) === answerOf(attempt)) running.push(attempt);
    else runs.push([attempt]);
  }
  return runs;
}

function runHappening([first, ...rest]: Run): Happening {
  const last = rest.at(-1);
  const ended = isGood(first) ? "succeeded" : "failed";
  const answer = strong(answerOf(first));
  if (last === undefined) {
    const took = ` ${ended} after ${duration(first.duration_ms)}: `;
    return { at: first.timestamp, sentence: [`Attempt ${first.attempt}${took}`, answer, "."] };
  }
  const which = `Attempts ${first.attempt} to ${last.attempt} ${ended}, the last one `;
  return { at: first.timestamp, sentence: [which, at(last.timestamp), ": ", answer, "."] };
}

const DELIVERY_VERBS: Readonly<Record<string, string>> = {
  retryWebhook: "asked for an attempt now",
  cancelWebhook: "cancelled it",
  resendWebhook: "sent it again, as a new delivery",
  erasePayload: "erased its payload",
};

function deliveryVerb({ operation }: Change): string {
  return DELIVERY_VERBS[operation] ?? operationWords(operation);
}

function ending(delivery: Told): readonly Happening[] {
  const { completed_at: end, created_at, status, attempts } = delivery;
  if (end === null || delivery.cancel_reason === "event_filter") return [];
  if (status === "delivered") {
    const took = duration(Math.max(0, Date.parse(end) - Date.parse(created_at)));
    return [{ at: end, sentence: [`It was delivered, ${took} after it was accepted.`] }];
  }
  if (status === "cancelled") return [{ at: end, sentence: [`It was cancelled: ${cancelWords(delivery)}.`] }];
  if (delivery.failure_reason === "expired")
    return [{ at: end, sentence: ["It expired: it waited for longer than deliveries are kept."] }];
  return [
    { at: end, sentence: [`It failed for good, after ${plural(attempts.length, "attempt", "attempts")}.`] },
  ];
}

const CANCELLED: Readonly<Record<string, string>> = {
  endpoint_deleted: "its endpoint was deleted",
  requested: "somebody asked for it",
  erased: "its payload was erased",
};

function cancelWords({ cancel_reason: reason = "requested" }: Told): string {
  return CANCELLED[reason] ?? reason.replaceAll("_", " ");
}

type Seen = Readonly<{ health: Pick<Endpoint["health"], "state" | "since" | "reason"> }>;

/** Says what happened at an endpoint, newest first: failed attempts of the last day, and changes. */
export function endpointHistory(
  { health }: Seen,
  steps: readonly HalfHour[],
  changes: readonly Change[],
): readonly Happening[] {
  const { state, since, reason } = health;
  const isOff = state === "disabled" && since !== null;
  const off = isOff
    ? [{ at: since, sentence: [`Hermod switched it off. ${REASONS[reason ?? ""] ?? ""}`.trim()] }]
    : [];
  const changed = changes.map((change) => ({
    at: change.at,
    sentence: [`${actorWords(change)} ${endpointVerb(change)}.`],
  }));
  return inOrder([...troublesOf(steps), ...off, ...changed]).toReversed();
}

const ENDPOINT_VERBS: Readonly<Record<string, string>> = {
  createEndpoint: "added it",
  deleteEndpoint: "deleted it",
  rotateSecret: "rotated its secret",
  retryEndpoint: "asked for an attempt now",
  testEndpoint: "sent a test event",
  certifyEndpoint: "certified the receiver",
  replayEndpoint: "started a replay of its deliveries",
};

function endpointVerb({ operation, before, after }: Change): string {
  const verb = ENDPOINT_VERBS[operation];
  if (verb !== undefined) return verb;
  const fields = Object.keys(after ?? {});
  const isSwitched = fields.length === 1 && before?.is_active === !after?.is_active;
  if (isSwitched) return after?.is_active === true ? "resumed it" : "paused it";
  const did = operation === "putEndpoint" ? "set" : "changed";
  return fields.length === 0 ? operationWords(operation) : `${did} ${fields.join(", ")}`;
}

function inOrder(all: readonly Happening[]): readonly Happening[] {
  return all.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
