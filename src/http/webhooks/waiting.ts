import { type Static, Type } from "@sinclair/typebox";
import type { DeliveryInFront, WaitingFor } from "../../deliveries/waiting";
import { toText } from "../../domain/ids";
import { formatInstant, formatMaybe } from "../lists/instant";
import { named, nullable, timestamp, variants } from "../openapi/schema";

const InFront = named(
  "DeliveryInFront",
  Type.Object({
    id: Type.String({ description: "Begins with `wh_`." }),
    sequence: Type.Integer(),
    since: nullable(timestamp("When its first attempt began; null if there was none.")),
    next_attempt_at: nullable(
      timestamp("When its next attempt begins; null if one is under way or due now."),
    ),
  }),
);

const Scheduled = named(
  "WaitingForSchedule",
  Type.Object(
    { reason: Type.Literal("scheduled"), until: timestamp() },
    { description: "It was sent with `deliver_after`, and is due at this time." },
  ),
);
const Pause = named(
  "WaitingForPause",
  Type.Object(
    { reason: Type.Literal("pause") },
    { description: "The endpoint is inactive, so nothing is sent to it." },
  ),
);
const Turn = named(
  "WaitingForTurn",
  Type.Object(
    {
      reason: Type.Literal("turn"),
      in_front: InFront,
      ordering_key: Type.Optional(
        nullable(
          Type.String({
            description:
              "The ordering key of both deliveries; null if they have none. Present only if the endpoint is `by_key`.",
          }),
        ),
      ),
    },
    { description: "Another delivery is in front of it in its order." },
  ),
);
const Retry = named(
  "WaitingForRetry",
  Type.Object(
    { reason: Type.Literal("retry"), until: timestamp() },
    { description: "An attempt failed; the next one begins at this time." },
  ),
);
const Rest = named(
  "WaitingForRest",
  Type.Object(
    { reason: Type.Literal("rest"), until: timestamp() },
    {
      description:
        "The receiver answered 429, or 503 with `Retry-After`: the endpoint is sent nothing until this time, and then one delivery " +
        "at a time until one succeeds.",
    },
  ),
);
const MaxInFlight = named(
  "WaitingForPlace",
  Type.Object(
    { reason: Type.Literal("max_in_flight"), max_in_flight: Type.Integer() },
    {
      description:
        "The endpoint is not ordered, and `max_in_flight` deliveries before it are in flight or next.",
    },
  ),
);
const RateLimit = named(
  "WaitingForRateLimit",
  Type.Object(
    { reason: Type.Literal("rate_limit"), rate_limit: Type.Integer() },
    { description: "The endpoint's rate limit is reached: that many attempts began in the last second." },
  ),
);
const Attempt = named(
  "WaitingForAttempt",
  Type.Object(
    { reason: Type.Literal("attempt") },
    { description: "It does not wait: its attempt is under way or about to begin." },
  ),
);

const ALL = {
  scheduled: Scheduled,
  pause: Pause,
  turn: Turn,
  retry: Retry,
  rest: Rest,
  max_in_flight: MaxInFlight,
  rate_limit: RateLimit,
  attempt: Attempt,
};

/** The model of the reason for which a pending delivery is not sent yet. `reason` distinguishes the variants. */
export const WaitingForModel = named(
  "WaitingFor",
  variants("reason", ALL, "Why the delivery is not sent yet; present only while it is pending."),
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
    default:
      return waiting;
  }
}

function viewOfTurn({ inFront, orderingKey }: Extract<WaitingFor, { reason: "turn" }>): Static<typeof Turn> {
  const turn = { reason: "turn" as const, in_front: viewOfAhead(inFront) };
  return orderingKey === undefined ? turn : { ...turn, ordering_key: orderingKey };
}

function viewOfAhead({ id, sequence, since, nextAttemptAt }: DeliveryInFront): Static<typeof InFront> {
  return {
    id: toText("wh", id),
    sequence,
    since: formatMaybe(since),
    next_attempt_at: formatMaybe(nextAttemptAt),
  };
}

export const WAITING_EXAMPLE = {
  reason: "turn",
  in_front: {
    id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0t",
    sequence: 41,
    since: "2026-01-31T11:58:00.000Z",
    next_attempt_at: "2026-01-31T12:08:00.000Z",
  },
} satisfies WaitingView;
