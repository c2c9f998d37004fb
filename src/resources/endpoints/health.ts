import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp, words } from "../../api/openapi/schema";
import { HEALTH_STATES } from "../../domain/health";
import { timeOf } from "../../domain/ids";
import { type Health, MOST_PENDING } from "../../endpoints/health";

export const DISABLED_REASON_WORDS =
  "`failing`: every attempt failed for as long as HERMOD_DISABLE_AFTER. `gone`: the receiver answered 410 twice, at least a " +
  "minute apart. `unwanted`: the receiver answered with the header `webhook-delivery: disable`. " +
  "`exhausted`: a delivery used up its schedule, and the endpoint, which has `on_exhausted: pause`, stops at it.";

const states = words("HealthState", HEALTH_STATES, {
  description:
    "`healthy`: the last attempt succeeded, or there was none. `failing`: every attempt since `since` has failed. `blocked`: a " +
    "delivery has been retried for HERMOD_BLOCKED_AFTER, and holds back those behind it in its order. `disabled`: Hermod set the " +
    "endpoint inactive. `paused`: the account set it inactive.",
});

const lastFailure = named(
  "LastFailure",
  nullable(
    Type.Object({
      at: timestamp(),
      status: Type.Integer({ description: "0 if there was no HTTP response." }),
      error: nullable(Type.String()),
      error_detail: nullable(Type.String()),
    }),
  ),
);

export const HealthModel = named(
  "EndpointHealth",
  Type.Object({
    state: states,
    since: nullable(
      timestamp(
        "When the endpoint entered this state; null while healthy. For a blocked endpoint: the first attempt of the delivery that holds back its order.",
      ),
    ),
    reason: nullable(
      Type.String({
        description:
          `For a disabled endpoint: ${DISABLED_REASON_WORDS} For a failing or blocked endpoint: the \`error\` of its last failed ` +
          "attempt, or `status` if the receiver answered.",
      }),
    ),
    last_success_at: nullable(timestamp("The last success, known within a minute; null: there was none.")),
    last_failure: lastFailure,
    pending: Type.Integer({
      description: `Pending deliveries. Exact below ${MOST_PENDING}; ${MOST_PENDING} means that many or more.`,
    }),
    oldest_pending_at: nullable(timestamp("When the first of them was accepted; null if there is none.")),
    complete_up_to: Type.Integer({
      description:
        "No delivery with a `sequence` up to this one is pending: each was delivered, failed or was cancelled. A receiver that " +
        "has all of them but those that failed or were cancelled has missed nothing. 0: there is none.",
    }),
  }),
);

export function viewOfHealth(health: Health): Static<typeof HealthModel> {
  const { state, lastSuccessAt, lastFailure, backlog } = health;
  return {
    state,
    since: formatMaybe(sinceOf(health)),
    reason: reasonOf(health),
    last_success_at: formatMaybe(lastSuccessAt),
    last_failure: lastFailure && {
      at: formatInstant(lastFailure.at),
      status: lastFailure.status,
      error: lastFailure.error,
      error_detail: lastFailure.errorDetail,
    },
    pending: backlog.pending,
    oldest_pending_at: backlog.oldest && formatInstant(timeOf(backlog.oldest)),
    complete_up_to: backlog.completeUpTo,
  };
}

function sinceOf({ state, inactiveSince, failingSince, blockedSince }: Health): number | null {
  switch (state) {
    case "healthy":
      return null;
    case "failing":
      return failingSince;
    case "blocked":
      return blockedSince;
    case "disabled":
    case "paused":
      return inactiveSince;
  }
}

function reasonOf({ state, disabledReason, lastFailure }: Health): string | null {
  if (state === "disabled") return disabledReason;
  if (state !== "failing" && state !== "blocked") return null;
  return lastFailure && (lastFailure.error ?? "status");
}

export const HEALTH_EXAMPLE = {
  state: "failing",
  since: "2026-01-31T09:00:00.000Z",
  reason: "timeout",
  last_success_at: null,
  last_failure: {
    at: "2026-01-31T11:30:00.000Z",
    status: 0,
    error: "timeout",
    error_detail: "no_response",
  },
  pending: 299,
  oldest_pending_at: "2026-01-31T09:00:00.000Z",
  complete_up_to: 48_210,
} satisfies Static<typeof HealthModel>;
