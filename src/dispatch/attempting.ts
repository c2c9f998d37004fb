import type { Body } from "../attempt/body";
import type { Clearance } from "../attempt/clearance";
import type { Exchange } from "../attempt/exchange";
import type { SendRequest } from "../attempt/send";
import { webhookHeaders } from "../attempt/webhook-request";
import type { QueueKey } from "../db/queue-key";
import type { Outcome } from "../recorder/outcome";
import type { Clock } from "../runtime/clock";
import { hopsOf, timeOf, toText } from "../runtime/ids";
import type { PendingDelivery } from "./delivery";
import { type EndpointView, secretsAt } from "./endpoint";
import { type AttemptFacts, healthOf, type RetryPolicy, verdictOf } from "./retry-policy";

export type AttemptingDeps = Readonly<{
  /** Never rejects; null when nothing was sent, since it was not to be any more. */
  send(request: SendRequest): Promise<Exchange | null>;
  /** A payload that is not at hand; null when there is none any more, or none can be read now. Never rejects. */
  payloadOf(delivery: PendingDelivery): Promise<string | null>;
  policy: RetryPolicy;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Told of every exchange; `acceptedAt`, Unix milliseconds, only of a delivery's first one. */
  onExchange?(exchange: Exchange, acceptedAt: number | null): void;
}>;

/** Makes one attempt at a delivery and judges it; null when it was not to start any more. */
export async function attemptDelivery(
  deps: AttemptingDeps,
  delivery: PendingDelivery,
  endpoint: EndpointView,
  queue: QueueKey,
  clearance: Clearance,
): Promise<Outcome | null> {
  const headers = (body: string) => headersOf(delivery, body, endpoint, deps.clock.now());
  const isFailing = endpoint.failingSince !== null;
  const owner = { account: delivery.accountId, endpoint: queue.endpointId, isFailing };
  const { url, timeoutMs } = endpoint;
  const body = bodyOf(delivery, deps);
  const exchange = await deps.send({ owner, url, headers, body, timeoutMs, clearance });
  if (!exchange) return null;
  deps.onExchange?.(exchange, delivery.attemptCount === 0 ? timeOf(delivery.id) : null);
  const facts = factsOf(delivery, endpoint, exchange, deps.clock.now());
  const policy = policyFor(endpoint, deps.policy);
  const { status, error, errorDetail, location, startedAt, durationMs, responseBody } = exchange;
  return {
    ...queue,
    accountId: delivery.accountId,
    sequence: delivery.sequence,
    event: delivery.event,
    attemptCount: delivery.attemptCount,
    attempt: { status, error, errorDetail, location, startedAt, durationMs, responseBody },
    verdict: verdictOf(policy, facts, deps.random()),
    // What our own proxy fails at says nothing about the endpoint.
    health: error === "proxy" ? "none" : healthOf(policy, facts),
  };
}

function policyFor({ retryScheduleMs }: EndpointView, policy: RetryPolicy): RetryPolicy {
  return retryScheduleMs === null ? policy : { ...policy, schedule: retryScheduleMs };
}

function bodyOf(delivery: PendingDelivery, { payloadOf }: AttemptingDeps): Body {
  const { data } = delivery;
  return typeof data === "string" ? data : { bytes: data.bytes, read: () => payloadOf(delivery) };
}

function headersOf(delivery: PendingDelivery, body: string, endpoint: EndpointView, now: number) {
  return webhookHeaders({
    webhookId: toText("wh", delivery.replayOf ?? delivery.id),
    timestamp: Math.floor(now / 1_000),
    event: delivery.event,
    orderingKey: delivery.orderingKey,
    attempt: delivery.attemptCount + 1,
    sequence: delivery.sequence,
    hops: hopsOf(delivery.id) + 1,
    secrets: secretsAt(endpoint, now),
    added: endpoint.headers,
    body,
  });
}

function factsOf(
  delivery: PendingDelivery,
  endpoint: EndpointView,
  exchange: Exchange,
  now: number,
): AttemptFacts {
  return {
    status: exchange.status,
    succeeded: exchange.acknowledged,
    retryAfterMs: exchange.retryAfterMs,
    attempts: delivery.attemptCount + 1,
    acceptedAt: timeOf(delivery.id),
    failingSince: endpoint.failingSince,
    now,
  };
}
