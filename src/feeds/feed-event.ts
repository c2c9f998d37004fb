import type { DisabledReason } from "../domain/health";
import {
  type AccountId,
  type DeliveryId,
  type EndpointId,
  hopsOf,
  MAX_HOPS,
  timeOf,
  toText,
} from "../domain/ids";

/** The facts of an event, as Postgres stores them; times are Unix milliseconds. */
export type StoredReport =
  | { event: "delivery.failed"; facts: FailedDelivery }
  | { event: "endpoint.failing"; facts: FailingEndpoint }
  | { event: "endpoint.blocked"; facts: BlockedEndpoint }
  | { event: "endpoint.disabled"; facts: DisabledEndpoint }
  | { event: "endpoint.recovered"; facts: FailingEndpoint }
  | { event: "endpoint.expiring"; facts: ExpiringEndpoint }
  | { event: "usage.limit_near"; facts: NearLimit };

type FailedDelivery = {
  deliveryId: DeliveryId;
  endpointId: EndpointId;
  event: string | null;
  attemptCount: number;
  /** The status of the last attempt; null without an attempt or an answer. */
  responseStatus: number | null;
  error: string | null;
  errorDetail: string | null;
  /** The reason of a failure without an attempt. */
  failureReason?: "expired";
};
type FailingEndpoint = { endpointId: EndpointId; url: string; failingSince: number };
/** `deliveryId`: the delivery that the endpoint stopped at; null if it was disabled for another reason. */
type DisabledEndpoint = FailingEndpoint & { reason: DisabledReason; deliveryId: DeliveryId | null };
type BlockedEndpoint = {
  endpointId: EndpointId;
  url: string;
  /** The delivery that holds back its order. */
  deliveryId: DeliveryId;
  orderingKey: string | null;
  since: number;
  reason: string | null;
  /** The deliveries that wait behind it in its order; `count` or more of them if it is not `complete`. */
  behind: { count: number; complete: boolean };
};
type ExpiringEndpoint = {
  endpointId: EndpointId;
  url: string;
  /** The first delivery that expires. */
  deliveryId: DeliveryId;
  retentionMs: number;
  deliveries: { count: number; complete: boolean };
};
type NearLimit = { percent: number; used: number; limit: number; period: string };

/** The body of a feed's delivery, in the form that Standard Webhooks recommends. */
export type FeedPayload = { type: StoredReport["event"]; timestamp: string; data: Record<string, unknown> };

/** The facts about the account and the endpoint that a report adds to its own, as of the time at which it is sent. */
export type ReportContext = Readonly<{
  about: Readonly<{ id: AccountId; name: string }>;
  endpoint: Readonly<{
    id: EndpointId;
    url: string;
    description: string | null;
    waiting: { count: number; complete: boolean };
  }> | null;
}>;

/** Makes the body for a feed, about an event at a time (Unix milliseconds). */
export function payloadOf(
  report: StoredReport,
  occurredAt: number,
  context: ReportContext,
  publicUrl: string | null,
): FeedPayload {
  const data = {
    ...contextData(context),
    ...dataOf(report),
    console_url: consoleUrl(report, context, publicUrl),
  };
  return { type: report.event, timestamp: instant(occurredAt), data };
}

function contextData({ about, endpoint }: ReportContext): Record<string, unknown> {
  const account = { account_id: toText("acc", about.id), account_name: about.name };
  if (endpoint === null) return account;
  const { url, description, waiting } = endpoint;
  const { count, complete } = waiting;
  return { ...account, url, description, waiting: count, waiting_complete: complete };
}

/** Returns the page of the console about the delivery or the endpoint. */
function consoleUrl(
  { event, facts }: StoredReport,
  { about, endpoint }: ReportContext,
  publicUrl: string | null,
): string | null {
  if (publicUrl === null) return null;
  const page =
    event === "delivery.failed"
      ? `/deliveries/${toText("wh", facts.deliveryId)}`
      : endpoint && `/endpoints/${toText("ep", endpoint.id)}`;
  return `${publicUrl}/console${page ?? ""}?account=${toText("acc", about.id)}`;
}

/**
 * Returns the number of deliveries that led to the event. A feed's delivery must continue the count, or feeds could form a loop.
 */
export function hopsTo({ event, facts }: StoredReport): number {
  return event === "delivery.failed" ? Math.min(hopsOf(facts.deliveryId) + 1, MAX_HOPS - 1) : 0;
}

function dataOf({ event, facts }: StoredReport): Record<string, unknown> {
  switch (event) {
    case "delivery.failed":
      return {
        id: toText("wh", facts.deliveryId),
        endpoint_id: toText("ep", facts.endpointId),
        event: facts.event,
        attempt_count: facts.attemptCount,
        response_status: facts.responseStatus,
        error: facts.error,
        error_detail: facts.errorDetail,
        failure_reason: facts.failureReason ?? null,
        created_at: instant(timeOf(facts.deliveryId)),
      };
    case "endpoint.disabled":
      return {
        ...endpointData(facts),
        reason: facts.reason,
        delivery_id: facts.deliveryId && toText("wh", facts.deliveryId),
      };
    case "endpoint.failing":
    case "endpoint.recovered":
      return endpointData(facts);
    case "endpoint.blocked":
      return {
        id: toText("ep", facts.endpointId),
        url: facts.url,
        delivery_id: toText("wh", facts.deliveryId),
        ordering_key: facts.orderingKey,
        since: instant(facts.since),
        reason: facts.reason,
        behind: facts.behind.count,
        behind_complete: facts.behind.complete,
      };
    case "endpoint.expiring":
      return {
        id: toText("ep", facts.endpointId),
        url: facts.url,
        delivery_id: toText("wh", facts.deliveryId),
        expires_at: instant(timeOf(facts.deliveryId) + facts.retentionMs),
        deliveries: facts.deliveries.count,
        deliveries_complete: facts.deliveries.complete,
      };
    case "usage.limit_near":
      return { ...facts };
  }
}

function endpointData({ endpointId, url, failingSince }: FailingEndpoint) {
  return { id: toText("ep", endpointId), url, failing_since: instant(failingSince) };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
