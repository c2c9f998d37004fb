import type { Endpoint } from "../../client/types";
import { answerOf } from "../shared/answer";
import { count, plural } from "../shared/format";
import { at, type Sentence, strong } from "../shared/sentence";

type EndpointHealth = Endpoint["health"];
type HealthFacts = Pick<Endpoint, "health" | "ordering" | "while_inactive" | "delivery">;

/** Says why Hermod switched an endpoint off. */
export const REASONS: Readonly<Record<string, string>> = {
  failing: "Every attempt failed for so long that Hermod switched it off.",
  gone: "It answered 410 Gone, and again a minute later or more.",
  unwanted: "It asked to be switched off.",
  exhausted: "A delivery used up its attempts. Resume to attempt it again, or cancel it first to pass it.",
};

/** Says what is wrong with an endpoint, since when, and what Hermod does. Empty if it is healthy. */
export function healthSentences(endpoint: HealthFacts): readonly Sentence[] {
  const { health, while_inactive } = endpoint;
  switch (health.state) {
    case "healthy":
      return [];
    case "paused":
      return [["Paused ", ...since(health.since), ". ", KEPT[while_inactive]]];
    case "disabled":
      return [
        ["Switched off ", ...since(health.since), ". ", KEPT[while_inactive]],
        ...(health.reason && REASONS[health.reason] ? [[REASONS[health.reason] ?? ""]] : []),
        ...lastFailure(health),
      ];
    case "failing":
      return [...failing(health), ...lastSuccess(health), ...goesOn(endpoint)];
    case "blocked":
      return [...blocked(health), ...failing(health), ...goesOn(endpoint)];
  }
}

const KEPT = {
  hold: "Nothing is sent; deliveries are kept.",
  skip: "Nothing is sent; what waits is kept, and new events are skipped.",
} as const;

function since(time: string | null): Sentence {
  return time === null ? [] : ["since ", at(time)];
}

/** Says that every attempt fails, if that is so. An endpoint that is blocked may take others. */
function failing({ failing_since, last_failure: failure }: EndpointHealth): readonly Sentence[] {
  if (failing_since === null) return [];
  const last: Sentence = failure ? [", most recently ", at(failure.at), ": ", strong(answerOf(failure))] : [];
  return [["Every attempt since ", at(failing_since), " has failed", ...last, "."]];
}

function blocked({ blocked_by: blocking, since }: EndpointHealth): readonly Sentence[] {
  if (blocking === null || since === null) return [];
  const { id, sequence, ordering_key: key, last_attempt: last } = blocking;
  const answer: Sentence = last
    ? [" Its last attempt, ", at(last.at), ": ", strong(answerOf(last)), "."]
    : [];
  return [
    [
      { is: "delivery", id, sequence },
      ...(key === null ? [] : [` with the key ${key}`]),
      " has been tried since ",
      at(since),
      " and holds back what is behind it in its order.",
      ...answer,
    ],
  ];
}

function lastFailure({ last_failure: failure }: EndpointHealth): readonly Sentence[] {
  return failure ? [["The last failure, ", at(failure.at), ": ", strong(answerOf(failure)), "."]] : [];
}

function lastSuccess({ last_success_at: success }: EndpointHealth): readonly Sentence[] {
  return success ? [["The last known success was ", at(success), "."]] : [];
}

function goesOn({ health: { pending }, ordering, delivery }: HealthFacts): readonly Sentence[] {
  if (pending === 0) return [];
  const goes = delivery === "pull" ? "The receiver may read" : "Hermod goes on trying";
  return [[`${goes} what waits${ordering === "unordered" ? "" : ", in its order"}.`]];
}

/** Says that the filter failed, for how many events, and with which error. Empty if it has not. */
export function filterSentences({
  health: { filter_errors },
}: Pick<Endpoint, "health">): readonly Sentence[] {
  if (filter_errors === null) return [];
  const { since: from, count: times, last_at, last_error } = filter_errors;
  const error: Sentence = last_error === null ? [] : [": ", strong(last_error)];
  return [
    [
      "Since ",
      at(from),
      `, the filter has failed for ${plural(times, "event", "events")}, which it left out.`,
    ],
    ["The last time was ", at(last_at), ...error, "."],
  ];
}

/** Says in a few words what is wrong with an endpoint, for a list. Empty if it is healthy. */
export function healthDetail({ health }: Pick<Endpoint, "health">): Sentence {
  const { state, since: from, last_failure: failure, blocked_by: blocking } = health;
  const begun = since(from);
  switch (state) {
    case "failing":
      return failure ? [...begun, ", last: ", answerOf(failure)] : begun;
    case "blocked":
      return blocking?.last_attempt
        ? [
            { is: "delivery", id: blocking.id, sequence: blocking.sequence },
            " ",
            ...begun,
            `: ${answerOf(blocking.last_attempt)}`,
          ]
        : begun;
    case "disabled":
    case "paused":
      return begun;
    case "healthy":
      return [];
  }
}

/** Says how many endpoints need attention. */
export function attentionWords(endpoints: readonly Pick<Endpoint, "health">[]): string {
  if (endpoints.length === 0) return "No endpoints yet";
  const troubled = endpoints.filter(needsAttention).length;
  const all = plural(endpoints.length, "endpoint", "endpoints");
  if (troubled > 0) return `${count(troubled)} of ${all} ${troubled === 1 ? "needs" : "need"} attention`;
  return endpoints.every(({ health }) => health.state === "healthy")
    ? `${all} ${endpoints.length === 1 ? "is" : "are"} healthy`
    : `None of ${all} needs attention`;
}

/** The states of an endpoint that needs attention. */
export const TROUBLED = ["failing", "blocked", "disabled"] as const;

export function needsAttention({ health }: Pick<Endpoint, "health">): boolean {
  return TROUBLED.some((state) => state === health.state);
}
