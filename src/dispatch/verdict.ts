import type { ErrorDetail } from "../attempt/error-detail";
import type { Exchange } from "../attempt/exchange";
import type { HealthChange, Verdict } from "../domain/outcome";
import type { PendingDelivery } from "../domain/pending-delivery";
import { MAX_RETRY_AFTER_MS, stepOf, verdictAfterFailure } from "../domain/retry-policy";
import { isForgery } from "../domain/test-event";
import { type EndpointView, needsRecovery } from "./endpoint";

/** An attempt that was made: at which delivery, with which settings, and its exchange. */
export type MadeAttempt = Readonly<{
  delivery: Pick<PendingDelivery, "event" | "attemptCount" | "freeAttempts" | "isFree" | "hasSingleAttempt">;
  endpoint: Pick<
    EndpointView,
    "retryScheduleMs" | "permanentStatuses" | "onExhausted" | "failingSince" | "probes"
  >;
  exchange: Pick<
    Exchange,
    "acknowledged" | "status" | "error" | "errorDetail" | "retryAfterMs" | "instruction"
  >;
}>;

/** The waits in milliseconds after failed attempts. The delivery fails with the attempt after the last wait. */
export type Schedule = readonly number[];

const GONE = 410;
/** The rest after a 429 without Retry-After, if the schedule is empty. */
const DEFAULT_REST_MS = 1_000;

/**
 * Returns the verdict on a delivery after an attempt. `usual`: the schedule of endpoints without one of their own. `random` is
 * in [0, 1).
 *
 * The schedule is a budget of attempts. Waiting uses none of it, and neither do free attempts: the wait before one begins again.
 * Once a delivery has used it up, the deliveries behind it get one attempt each, with the schedule's first wait between them,
 * until one succeeds. So the queue of a dead receiver drains, and a receiver that is starting up does not lose its whole queue.
 * An endpoint that stops when exhausted passes none: the delivery gets one more attempt each time that a person resumes.
 */
export function verdictOf(attempted: MadeAttempt, usual: Schedule, random: number): Verdict {
  const { delivery, endpoint, exchange } = attempted;
  if (exchange.acknowledged && !isForgery(delivery.event)) return { kind: "delivered" };
  const kind = isRefusedForgery(attempted) ? "cancelled" : "failed";
  const stopsWhenExhausted = endpoint.onExhausted === "pause";
  const isDrained = delivery.hasSingleAttempt && !stopsWhenExhausted;
  const endsAtOnce = isFinal(attempted);
  if (endsAtOnce && !isDrained) return { kind, nextAfterMs: null };
  const verdict = verdictAfterFailure({
    step: stepOf(delivery),
    isLast: isDrained && (endsAtOnce || !delivery.isFree),
    stopsWhenExhausted,
    schedule: endpoint.retryScheduleMs ?? usual,
    askedMs: exchange.retryAfterMs ?? 0,
    random,
  });
  return verdict.kind === "failed" ? { ...verdict, kind } : verdict;
}

/**
 * Returns the rest of the whole endpoint after an attempt, in milliseconds; null for none. A 429 always requests a rest; a 503
 * only with Retry-After, since other 503s come from one of many servers, and the next request may succeed.
 */
export function restOf({ delivery, endpoint, exchange }: MadeAttempt, usual: Schedule): number | null {
  const { status, retryAfterMs } = exchange;
  const asks = status === 429 || (status === 503 && retryAfterMs !== null);
  if (!asks || isOurFault(exchange) || isForgery(delivery.event)) return null;
  const [first] = endpoint.retryScheduleMs ?? usual;
  return Math.min(retryAfterMs ?? first ?? DEFAULT_REST_MS, MAX_RETRY_AFTER_MS);
}

/** Returns the effect of an attempt and its verdict on the endpoint's health. Postgres decides about inactivity. */
export function healthOf({ delivery, endpoint, exchange }: MadeAttempt, verdict: Verdict): HealthChange {
  // The answer to a forged request does not show the health for genuine requests.
  if (isForgery(delivery.event)) return "none";
  const isFailing = needsRecovery(endpoint);
  if (exchange.acknowledged) return isFailing ? "recovered" : "none";
  const isOurs = isOurFault(exchange);
  if (exchange.instruction === "disable" && !isOurs) return "unwanted";
  if (verdict.kind === "stop") return "exhausted";
  if (isOurs) return "none";
  if (exchange.status === GONE) return "gone";
  return isFailing && verdict.kind === "retry" ? "still_failing" : "failing";
}

/** True if the delivery fails at once, without an effect on the deliveries behind it. */
function isFinal({ delivery, endpoint, exchange }: MadeAttempt): boolean {
  const { status, instruction } = exchange;
  const isPermanent = endpoint.permanentStatuses.includes(status);
  return isForgery(delivery.event) || instruction === "abort-message" || isPermanent;
}

/** True for a 4xx to a forged request. Other answers do not show that the receiver checked the signature. */
function isRefusedForgery({ delivery, exchange: { status } }: MadeAttempt): boolean {
  return isForgery(delivery.event) && status >= 400 && status < 500;
}

/** True when the failure may not be the receiver's. A proxy answers 5xx to a dead receiver, and also when it is broken itself. */
function isOurFault({ error, errorDetail }: MadeAttempt["exchange"]): boolean {
  return (
    error === "proxy" || error === "mail_server" || errorDetail === ("too_many_lookups" satisfies ErrorDetail)
  );
}
