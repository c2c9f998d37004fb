import type { Body, Exchange, SendGuard } from "../attempt/exchange";
import type { Sender } from "../attempt/send";
import { webhookHeaders, webhookIdOf } from "../attempt/webhook-request";
import { type EndpointId, timeOf } from "../domain/ids";
import type { Outcome } from "../domain/outcome";
import type { QueueKey } from "../domain/partition";
import type { PendingDelivery } from "../domain/pending-delivery";
import { FORGERY_ACCEPTED, isForgery } from "../domain/test-event";
import { newSigningSecret } from "../endpoints/signing-secret";
import { encodeExchange } from "../recorder/exchange-record";
import { type Clock, sleep } from "../runtime/clock";
import type { AttemptLog, ShortageLog } from "./attempt-log";
import type { Payloads } from "./backlog/payloads";
import { type BatchDeliveries, batchBody, batchIdOf, namedInHeaders, verdictOnBatch } from "./batch-request";
import { bodyInForm, headersInForm, type MessageWriters } from "./body-form";
import { type EndpointView, needsRecovery, secretsAt } from "./endpoint";
import { healthOf, restOf, type Schedule, verdictOf } from "./verdict";

export type AttemptsOptions = Readonly<{
  sender: Pick<Sender, "send">;
  /** Sends to endpoints with the format `email`. It has slots of its own, so a mail server that hangs holds up no webhooks. */
  mail: Pick<Sender, "send">;
  /** Reads payloads that are not in memory. */
  payloads: Pick<Payloads, "read">;
  /** Writes the bodies in the formats for people. */
  messages: MessageWriters;
  /** The schedule of endpoints that have none of their own. */
  schedule: Schedule;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Null: attempts are not logged. */
  log: Pick<AttemptLog, "ended"> | null;
  shortages: Pick<ShortageLog, "note">;
  /**
   * Called with every exchange. `acceptedAt`, Unix milliseconds: only for a delivery's first attempt. `traceparent`: the
   * attempt's place in its trace, if it is traced.
   */
  onExchange?(exchange: Exchange, acceptedAt: number | null, traceparent: string | null): void;
}>;

/** Follows one attempt for its trace. */
export type AttemptTrace = Readonly<{ traceparent: string | null; onExchange(exchange: Exchange): void }>;

/** Wait in milliseconds, up to twice as long, before an attempt that this machine could not make is tried again. */
export const SHORTAGE_WAIT_MS = 1_000;

/** Makes attempts at deliveries, and judges them. */
export class Attempts {
  constructor(private readonly options: AttemptsOptions) {}

  /**
   * Makes one attempt, at a delivery and those `behind` it that go in the same request. The outcome is that of the first; see
   * `outcomesBehind`. Returns null, with the delivery unchanged, if the guard said no or this machine could not make the
   * connection. In the second case it has waited, so the caller may retry at once. Never rejects.
   */
  async attempt(
    delivery: PendingDelivery,
    endpoint: EndpointView,
    queue: QueueKey,
    guard: SendGuard,
    behind: readonly PendingDelivery[] = NONE_BEHIND,
    trace: AttemptTrace | null = null,
  ): Promise<Outcome | null> {
    const { clock, random, log, shortages } = this.options;
    const sent = [delivery, ...behind] as const;
    const sender = endpoint.format === "email" ? this.options.mail : this.options.sender;
    const form =
      endpoint.format === "payload"
        ? { headers: endpoint.headers, write: unchanged }
        : this.formOf(delivery, queue.endpointId, endpoint);
    const result = await sender.send({
      owner: { account: delivery.accountId, endpoint: queue.endpointId, isFailing: needsRecovery(endpoint) },
      url: endpoint.url,
      headers: (body) => headersOf(sent, body, queue.endpointId, endpoint, form.headers, clock.now()),
      body: isShared(sent) ? batchBody(sent, queue.endpointId) : this.bodyOf(delivery, form.write),
      timeoutMs: endpoint.timeoutMs,
      guard,
    });
    if (result.kind === "own_failure") {
      shortages.note(result.shortage);
      await sleep(clock, SHORTAGE_WAIT_MS * (1 + random()));
    }
    if (result.kind !== "exchanged") return null;
    const { exchange } = result;
    trace?.onExchange(exchange);
    const acceptedAt = delivery.attemptCount === 0 ? timeOf(delivery.id) : null;
    const traceparent = trace?.traceparent ?? null;
    this.options.onExchange?.(exchange, acceptedAt, traceparent);
    const outcome = this.outcomeOf(sent, endpoint, queue, exchange, form.headers);
    log?.ended(delivery.id, traceparent, outcome, sent.length);
    return outcome;
  }

  private bodyOf(delivery: PendingDelivery, write: (payload: string) => string): Body {
    const { data } = delivery;
    if (typeof data === "string") return write(data);
    const read = async () => {
      const text = await this.options.payloads.read(delivery);
      return text === null ? null : write(text);
    };
    return { bytes: data.bytes + Buffer.byteLength(write("null")), read };
  }

  /** Returns the headers and the body's writer of any form but the payload alone. */
  private formOf(delivery: PendingDelivery, endpointId: EndpointId, endpoint: EndpointView) {
    const { messages } = this.options;
    return {
      headers: headersInForm(delivery, endpointId, endpoint),
      write: (payload: string) => bodyInForm(delivery, endpointId, endpoint, messages, payload),
    };
  }

  private outcomeOf(
    sent: BatchDeliveries,
    endpoint: EndpointView,
    queue: QueueKey,
    exchange: Exchange,
    added: EndpointView["headers"],
  ): Outcome {
    const { schedule, random } = this.options;
    const [delivery] = sent;
    const attempted = { delivery, endpoint, exchange };
    const alone = verdictOf(attempted, schedule, random());
    const verdict = isShared(sent) ? verdictOnBatch(alone) : alone;
    const { status, errorDetail, location, startedAt, durationMs, responseBody } = exchange;
    const error = exchange.acknowledged && isForgery(delivery.event) ? FORGERY_ACCEPTED : exchange.error;
    return {
      ...queue,
      accountId: delivery.accountId,
      sequence: delivery.sequence,
      event: delivery.event,
      attemptCount: delivery.attemptCount,
      attempt: {
        status,
        error,
        errorDetail,
        location,
        startedAt,
        durationMs,
        responseBody,
        exchange: encodeExchange(exchange, added, endpoint.secretHeaders, sent.length),
      },
      verdict,
      health: healthOf(attempted, verdict),
      restMs: restOf(attempted, schedule),
      acceptedAt: timeOf(delivery.id),
    };
  }
}

const NONE_BEHIND: readonly PendingDelivery[] = [];

function isShared(sent: BatchDeliveries): boolean {
  return sent.length > 1;
}

function headersOf(
  sent: BatchDeliveries,
  body: string,
  endpointId: EndpointId,
  endpoint: EndpointView,
  added: EndpointView["headers"],
  now: number,
) {
  const [delivery] = sent;
  return webhookHeaders(isShared(sent) ? namedInHeaders(sent) : delivery, {
    webhookId: isShared(sent) ? batchIdOf(sent) : webhookIdOf(delivery, endpointId),
    attempt: delivery.attemptCount + 1,
    timestamp: Math.floor(now / 1_000),
    secrets: isForgery(delivery.event) ? [newSigningSecret()] : secretsAt(endpoint, now),
    added,
    body,
  });
}

function unchanged(payload: string): string {
  return payload;
}
