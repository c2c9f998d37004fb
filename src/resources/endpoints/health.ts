import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp, words } from "../../api/openapi/schema";
import { MOST_PENDING } from "../../deliveries/backlog";
import { type FilterErrors, HEALTH_STATES, type LastFailure } from "../../domain/health";
import { timeOf, toText } from "../../domain/ids";
import type { BlockingDelivery, Health } from "../../endpoints/health";
import { WRITE_EVERY_MS } from "../../event-types/filter/error-counts";

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

const blockedBy = named(
  "BlockingDelivery",
  nullable(
    Type.Object({
      id: Type.String({ description: "Begins with `wh_`." }),
      sequence: Type.Integer(),
      ordering_key: nullable(Type.String()),
      attempt_count: Type.Integer(),
      last_attempt: lastFailure,
    }),
  ),
);

const filterErrors = named(
  "FilterErrors",
  nullable(
    Type.Object(
      {
        since: timestamp("When the filter failed first since it was changed."),
        count: Type.Integer({
          description: "Events and webhooks that it excluded since then because it failed.",
        }),
        last_at: timestamp(),
        last_error: nullable(
          Type.String({
            description:
              "It may quote the payload: null once that is erased, and in a portal session without `view_payloads`.",
          }),
        ),
        event_id: nullable(Type.String({ description: "The last of these events. Begins with `evt_`." })),
        webhook_id: nullable(
          Type.String({
            description: "Instead of `event_id` if it was sent to the endpoint alone. Begins with `wh_`.",
          }),
        ),
      },
      {
        description:
          "Events and webhooks that the endpoint's filter excluded because it failed; null if it has not since it was changed, or " +
          `HERMOD_RETENTION has passed since. Known within ${WRITE_EVERY_MS / 1_000} s.`,
      },
    ),
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
    failing_since: nullable(
      timestamp(
        "Every attempt recorded since then has failed, whatever the state; null if the last one succeeded.",
      ),
    ),
    blocked_by: blockedBy,
    reason: nullable(
      Type.String({
        description:
          `For a disabled endpoint: ${DISABLED_REASON_WORDS} For a failing endpoint: the \`error\` of its last failed attempt, or ` +
          "`status` if the receiver answered. For a blocked one: that of `blocked_by`.",
      }),
    ),
    last_success_at: nullable(timestamp("The last success, known within a minute; null: there was none.")),
    last_read_at: nullable(
      timestamp(
        "The last request of the receiver of a pulled endpoint; null: there was none, or it is pushed.",
      ),
    ),
    last_failure: lastFailure,
    filter_errors: filterErrors,
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
  const { state, failingSince, blockedBy, lastSuccessAt, lastReadAt, lastFailure, filterErrors, backlog } =
    health;
  return {
    state,
    since: formatMaybe(sinceOf(health)),
    failing_since: formatMaybe(failingSince),
    blocked_by: state === "blocked" && blockedBy ? viewOfBlocking(blockedBy) : null,
    reason: reasonOf(health),
    last_success_at: formatMaybe(lastSuccessAt),
    last_read_at: formatMaybe(lastReadAt),
    // An attempt ends shortly before it is recorded, and the trouble begins with the record.
    last_failure:
      lastFailure &&
      viewOfFailure({ ...lastFailure, at: Math.max(lastFailure.at, failingSince ?? lastFailure.at) }),
    filter_errors: filterErrors && viewOfFilterErrors(filterErrors),
    pending: backlog.pending,
    oldest_pending_at: backlog.oldest && formatInstant(timeOf(backlog.oldest)),
    complete_up_to: backlog.completeUpTo,
  };
}

function viewOfFailure({ at, status, error, errorDetail }: LastFailure) {
  return { at: formatInstant(at), status, error, error_detail: errorDetail };
}

function viewOfFilterErrors({ since, count, last }: FilterErrors) {
  return {
    since: formatInstant(since),
    count,
    last_at: formatInstant(last.at),
    last_error: last.error,
    event_id: last.eventId && toText("evt", last.eventId),
    webhook_id: last.deliveryId && toText("wh", last.deliveryId),
  };
}

function viewOfBlocking({ id, sequence, orderingKey, attemptCount, lastAttempt }: BlockingDelivery) {
  return {
    id: toText("wh", id),
    sequence,
    ordering_key: orderingKey,
    attempt_count: attemptCount,
    last_attempt: lastAttempt && viewOfFailure(lastAttempt),
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

function reasonOf({ state, disabledReason, blockedBy, lastFailure }: Health): string | null {
  switch (state) {
    case "disabled":
      return disabledReason;
    case "failing":
      return lastFailure && (lastFailure.error ?? "status");
    case "blocked":
      return blockedBy?.lastAttempt ? (blockedBy.lastAttempt.error ?? "status") : null;
    case "healthy":
    case "paused":
      return null;
  }
}

export const HEALTH_EXAMPLE = {
  state: "failing",
  since: "2026-01-31T09:00:00.000Z",
  failing_since: "2026-01-31T09:00:00.000Z",
  blocked_by: null,
  reason: "timeout",
  last_success_at: null,
  last_read_at: null,
  last_failure: {
    at: "2026-01-31T11:30:00.000Z",
    status: 0,
    error: "timeout",
    error_detail: "no_response",
  },
  filter_errors: null,
  pending: 299,
  oldest_pending_at: "2026-01-31T09:00:00.000Z",
  complete_up_to: 48_210,
} satisfies Static<typeof HealthModel>;
