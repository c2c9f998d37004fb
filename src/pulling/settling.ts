import type { DeliveryId } from "../domain/ids";
import { timeOf } from "../domain/ids";
import type { AttemptRecord, HealthChange, Outcome, PullError, Verdict } from "../domain/outcome";
import { stepOf, verdictAfterFailure } from "../domain/retry-policy";
import type { HandedDelivery, HandedPage } from "./handed-page";
import type { ReportedFailure, Settlement } from "./pull";
import type { Reader } from "./reader";

/** The status of an acknowledgement, as if the receiver had answered a request. */
const ACKNOWLEDGED = 200;
/** A delivery that was handed out this often without an answer fails. Before that it comes again at once, each time. */
export const MOST_HANDED_OUT = 30_000;

/** How failures of an endpoint are repeated, and with which chance. */
export type SettlingPolicy = Readonly<{ schedule: readonly number[]; random: number }>;

/** What a settlement makes of a page: outcomes, and the deliveries that the receiver still has. */
export type Settled = Readonly<{ outcomes: readonly Outcome[]; left: readonly HandedDelivery[] }>;

/** Returns why a settlement does not fit its page; null if it does. */
export function problemOf(
  { through, acknowledged, failed }: Settlement,
  { ordering }: Reader,
  { pending }: HandedPage,
): string | null {
  if (ordering !== "ordered") return null;
  if (acknowledged.length > 0)
    return "ack is for endpoints with several orders: acknowledge an ordered endpoint by ack_through";
  const next = pending.find(({ sequence }) => sequence > (through ?? 0));
  const isPending = (id: DeliveryId) => pending.some((each) => each.id === id);
  if (failed.some(({ id }) => id !== next?.id && isPending(id)))
    return "fail must name the first delivery behind ack_through, since an ordered endpoint continues there";
  return null;
}

/** Settles a page as its receiver says. Ids that have ended meanwhile change nothing. */
export function settle(
  { through, acknowledged, failed }: Settlement,
  reader: Reader,
  page: HandedPage,
  policy: SettlingPolicy,
): Settled {
  const ids = new Set(acknowledged);
  const failures = new Map<DeliveryId, ReportedFailure>(failed.map((each) => [each.id, each]));
  const outcomes: Outcome[] = [];
  const left: HandedDelivery[] = [];
  let isFailing = reader.isFailing;
  for (const delivery of page.pending) {
    const failure = failures.get(delivery.id);
    if (failure) {
      const verdict = verdictOnReport(failure, delivery, reader, policy);
      const attempt = attemptOf(page, reader, { error: "receiver_failed", responseBody: failure.error });
      outcomes.push(outcomeOf(reader, delivery, attempt, verdict, healthAfter(verdict, isFailing)));
      isFailing = true;
    } else if (ids.has(delivery.id) || (through !== null && delivery.sequence <= through)) {
      const attempt = attemptOf(page, reader, { status: ACKNOWLEDGED });
      outcomes.push(
        outcomeOf(reader, delivery, attempt, { kind: "delivered" }, isFailing ? "recovered" : "none"),
      );
      isFailing = false;
    } else left.push(delivery);
  }
  return { outcomes, left };
}

/**
 * Returns the outcomes of deliveries that a receiver did not settle in time. They may be handed out again at once, and use no step
 * of the schedule: the receiver may have ended, and said nothing about any of them.
 */
export function expire(reader: Reader, page: HandedPage, left: readonly HandedDelivery[]): Outcome[] {
  const attempt = attemptOf(page, reader, { error: "lease_expired" });
  return left.map((delivery, i) => {
    const isEnd = delivery.attemptCount + 1 >= MOST_HANDED_OUT;
    const verdict: Verdict = isEnd ? { kind: "failed", nextAfterMs: null } : { kind: "retry", afterMs: 0 };
    return outcomeOf(reader, delivery, attempt, verdict, healthAfter(verdict, reader.isFailing || i > 0));
  });
}

function verdictOnReport(
  { retryAfterMs }: ReportedFailure,
  delivery: HandedDelivery,
  { retryScheduleMs, stopsWhenExhausted }: Reader,
  { schedule, random }: SettlingPolicy,
): Verdict {
  return verdictAfterFailure({
    step: stepOf(delivery),
    isLast: delivery.hasSingleAttempt && !stopsWhenExhausted && !delivery.isFree,
    stopsWhenExhausted,
    schedule: retryScheduleMs ?? schedule,
    askedMs: retryAfterMs,
    random,
  });
}

function healthAfter(verdict: Verdict, isFailing: boolean): HealthChange {
  if (verdict.kind === "stop") return "exhausted";
  return isFailing && verdict.kind === "retry" ? "still_failing" : "failing";
}

function attemptOf(
  { handedAt }: HandedPage,
  { now }: Reader,
  result: Partial<Pick<AttemptRecord, "status" | "responseBody"> & { error: PullError }>,
): AttemptRecord {
  return {
    status: 0,
    error: null,
    errorDetail: null,
    location: null,
    startedAt: handedAt,
    durationMs: Math.max(0, Math.round(now - handedAt)),
    responseBody: null,
    exchange: null,
    ...result,
  };
}

function outcomeOf(
  { partition, endpointId, accountId }: Reader,
  { id, sequence, event, attemptCount }: HandedDelivery,
  attempt: AttemptRecord,
  verdict: Verdict,
  health: HealthChange,
): Outcome {
  const acceptedAt = timeOf(id);
  return {
    partition,
    endpointId,
    accountId,
    sequence,
    event,
    attemptCount,
    attempt,
    verdict,
    health,
    restMs: null,
    acceptedAt,
  };
}
