import type { Endpoint } from "../../client/types";
import { answerOf } from "../shared/answer";
import { LATE_MS } from "../shared/look";
import { type Sentence, strong, withTime } from "../shared/sentence";
import type { Texts } from "./texts";

type PortalHealthFacts = Pick<Endpoint, "health" | "ordering" | "while_inactive" | "delivery">;

/** Says what is wrong with an endpoint to the person whose server it is. Empty if it is healthy and nothing is late. */
export function healthSentences(endpoint: PortalHealthFacts, t: Texts, now: number): readonly Sentence[] {
  const { health, ordering, delivery } = endpoint;
  const { state, since, pending, oldest_pending_at: oldest } = health;
  const waits: Sentence[] = pending > 0 ? [[t.notDelivered(pending)]] : [];
  switch (state) {
    case "healthy":
      return oldest !== null && now - Date.parse(oldest) > LATE_MS ? waits : [];
    case "paused":
    case "disabled":
      return [
        ...timed(state === "paused" ? t.pausedSince : t.offSince, since),
        ...(state === "disabled" ? lastAnswer(health.last_failure, t) : []),
        [t[endpoint.while_inactive === "hold" ? "kept" : "skipped"]],
        ...waits,
        ...(pending > 0 ? [[t.afterResume]] : []),
      ];
    case "failing":
    case "blocked":
      return [
        ...trouble(endpoint, t),
        ...waits,
        ...(pending > 0 ? [[delivery === "pull" ? t.followRead : t.follow[ordering]]] : []),
      ];
  }
}

/** Says that the filter failed, for how many events, and with which error. Empty if it has not. */
export function filterSentences({ health }: Pick<Endpoint, "health">, t: Texts): readonly Sentence[] {
  const errors = health.filter_errors;
  if (errors === null) return [];
  return [
    ...timed(t.filterFails(errors.count), errors.since),
    ...(errors.last_error === null ? [] : [[t.lastFilterError, " ", strong(errors.last_error)]]),
  ];
}

/** The server's failure holds for all requests only if every one failed. Otherwise one event is held back. */
function trouble({ health, delivery }: PortalHealthFacts, t: Texts): Sentence[] {
  const { failing_since, since, blocked_by, last_failure } = health;
  if (failing_since !== null)
    return [
      ...timed(delivery === "pull" ? t.failsReading : t.failsSince, failing_since),
      ...lastAnswer(last_failure, t),
    ];
  if (blocked_by === null) return [];
  const { sequence, last_attempt } = blocked_by;
  return [...timed(t.blockedSince(sequence), since), ...lastAnswer(last_attempt, t), [t.holdsBack]];
}

function timed(text: string, time: string | null): Sentence[] {
  return time === null ? [] : [[...withTime(text, time)]];
}

function lastAnswer(failure: Endpoint["health"]["last_failure"], t: Texts): Sentence[] {
  if (failure === null) return [];
  const answer = answerOf(failure);
  return [[strong(failure.status > 0 ? t.lastAnswer(answer) : t.lastUnanswered(answer))]];
}

/** True if no delivery of these endpoints ever got a number. */
export function isNothingSent(endpoints: readonly Pick<Endpoint, "health">[]): boolean {
  return (
    endpoints.length > 0 &&
    endpoints.every(({ health }) => health.pending === 0 && health.complete_up_to === 0)
  );
}
