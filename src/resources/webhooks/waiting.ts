import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp, words, written } from "../../api/openapi/schema";
import { type DeliveryInFront, MOST_COUNTED, type WaitingFor } from "../../deliveries/waiting";
import { toText } from "../../domain/ids";

const InFront = named(
  "DeliveryInFront",
  Type.Object({
    id: Type.String({ description: "Begins with `wh_`." }),
    sequence: Type.Integer(),
    since: nullable(timestamp("When its first attempt began; null if there was none.")),
    next_attempt_at: nullable(
      timestamp("When its next attempt begins; null if one is under way or due now."),
    ),
    attempt_count: Type.Integer(),
    response_status: nullable(
      Type.Integer({
        description:
          "The HTTP status of its last attempt; 0 if there was no HTTP response, null before the first attempt.",
      }),
    ),
  }),
);

/** The model of a number of deliveries that are counted up to a limit. */
const Ahead = named(
  "DeliveriesAhead",
  Type.Object({
    count: Type.Integer(),
    complete: Type.Boolean({
      description: `False if ${written(MOST_COUNTED)} deliveries were examined, so that there may be more.`,
    }),
  }),
);

/** What each reason means, in the order of the document. */
const REASONS: Readonly<Record<WaitingFor["reason"], string>> = {
  scheduled: "it was sent with `deliver_after`, and is due at `until`.",
  pause: "the endpoint is inactive, so nothing is sent to it.",
  turn: "other deliveries are in front of it in its order: `ahead` of them, the first of which is `in_front`.",
  retry: "an attempt failed; the next one begins at `until`.",
  rest:
    "the receiver answered 429, or 503 with `Retry-After`: the endpoint is sent nothing until `until`, and then one delivery at a " +
    "time until one succeeds.",
  max_in_flight:
    "the endpoint is not ordered, and `max_in_flight` deliveries before it are in flight or next.",
  rate_limit:
    "as many attempts as the endpoint's rate limit allows began in the last second, or in the last 1 / `rate_limit` seconds if that " +
    "is longer.",
  receiver:
    "the endpoint is pulled, and its receiver has not read the delivery, or has until `acknowledge_by` to acknowledge it.",
  attempt: "it does not wait: its attempt is under way or about to begin.",
};

/** The model of the reason for which a pending delivery is not sent yet: one object for all reasons, since generators need one. */
export const WaitingForModel = named(
  "WaitingFor",
  Type.Object(
    {
      reason: words("WaitingReason", Object.keys(REASONS) as WaitingFor["reason"][], {
        description: Object.entries(REASONS)
          .map(([reason, text]) => `\`${reason}\`: ${text}`)
          .join(" "),
      }),
      until: Type.Optional(timestamp("Present with `scheduled`, `retry` and `rest`.")),
      acknowledge_by: Type.Optional(
        timestamp(
          "Present with `receiver` once it has read the delivery. What it has not acknowledged by then may be read again.",
        ),
      ),
      in_front: Type.Optional(InFront),
      ahead: Type.Optional(Ahead),
      ordering_key: Type.Optional(
        nullable(
          Type.String({
            description:
              "The ordering key of both deliveries; null if they have none. Present with `turn`, only if the endpoint is `by_key`.",
          }),
        ),
      ),
      max_in_flight: Type.Optional(Type.Integer({ description: "Present with `max_in_flight`." })),
      rate_limit: Type.Optional(Type.Number({ description: "Present with `rate_limit`." })),
    },
    { description: "Why the delivery is not sent yet; present only while it is pending." },
  ),
);
type WaitingView = Static<typeof WaitingForModel>;

export function viewOfWaiting(waiting: WaitingFor): WaitingView {
  switch (waiting.reason) {
    case "turn":
      return viewOfTurn(waiting);
    case "scheduled":
    case "retry":
    case "rest":
      return { reason: waiting.reason, until: formatInstant(waiting.until) };
    case "max_in_flight":
      return { reason: "max_in_flight", max_in_flight: waiting.maxInFlight };
    case "rate_limit":
      return { reason: "rate_limit", rate_limit: waiting.rateLimit };
    case "receiver":
      return viewOfReceiver(waiting);
    default:
      return waiting;
  }
}

function viewOfReceiver({ acknowledgeBy }: Extract<WaitingFor, { reason: "receiver" }>): WaitingView {
  if (acknowledgeBy === null) return { reason: "receiver" };
  return { reason: "receiver", acknowledge_by: formatInstant(acknowledgeBy) };
}

function viewOfTurn({ inFront, ahead, orderingKey }: Extract<WaitingFor, { reason: "turn" }>): WaitingView {
  const turn = { reason: "turn" as const, in_front: viewOfFirst(inFront), ahead };
  return orderingKey === undefined ? turn : { ...turn, ordering_key: orderingKey };
}

function viewOfFirst(first: DeliveryInFront): Static<typeof InFront> {
  return {
    id: toText("wh", first.id),
    sequence: first.sequence,
    since: formatMaybe(first.since),
    next_attempt_at: formatMaybe(first.nextAttemptAt),
    attempt_count: first.attemptCount,
    response_status: first.responseStatus,
  };
}

export const WAITING_EXAMPLE = {
  reason: "turn",
  in_front: {
    id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0t",
    sequence: 41,
    since: "2026-01-31T11:58:00.000Z",
    next_attempt_at: "2026-01-31T12:08:00.000Z",
    attempt_count: 6,
    response_status: 503,
  },
  ahead: { count: 1, complete: true },
} satisfies WaitingView;
