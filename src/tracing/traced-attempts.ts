import type { Exchange } from "../attempt/exchange";
import type { Attempts } from "../dispatch/attempts";
import type { EndpointView } from "../dispatch/endpoint";
import { isTraced, timeOf, toText } from "../domain/ids";
import type { Outcome, Recorded } from "../domain/outcome";
import type { PendingDelivery } from "../domain/pending-delivery";
import type { Traceparent } from "../domain/traceparent";
import type { Recorder } from "../recorder/recorder";
import type { Clock } from "../runtime/clock";
import type { TraceStore } from "./trace-store";
import type { Attributes, OpenSpan, Tracing } from "./tracing";

type TracedAttemptsOptions = Readonly<{
  tracing: Tracing;
  store: Pick<TraceStore, "find">;
  clock: Pick<Clock, "now">;
  attempts: Pick<Attempts, "attempt">;
  recorder: Pick<Recorder, "record">;
}>;

type AttemptCall = Parameters<Attempts["attempt"]>;

/** The steps of an exchange that get spans of their own, in order. */
const STEPS = [
  ["look-up", "lookupMs"],
  ["connect", "connectMs"],
  ["tls", "tlsMs"],
  ["first byte", "firstByteMs"],
] as const satisfies readonly (readonly [string, keyof Exchange["timing"]])[];

/** Records the attempts of traced deliveries, and the recording of their outcomes. */
export class TracedAttempts {
  /** The spans that continue the traces of outcomes. */
  private readonly attempted = new WeakMap<Outcome, Traceparent>();

  constructor(private readonly parts: TracedAttemptsOptions) {}

  attempt(...attempt: AttemptCall): Promise<Outcome | null> {
    const [{ id }] = attempt;
    return isTraced(id) ? this.attemptTraced(...attempt) : this.parts.attempts.attempt(...attempt);
  }

  record(outcome: Outcome): Promise<Recorded> {
    const parent = this.attempted.get(outcome);
    return parent ? this.recordTraced(outcome, parent) : this.parts.recorder.record(outcome);
  }

  private async attemptTraced(
    ...[delivery, endpoint, queue, guard, behind]: AttemptCall
  ): Promise<Outcome | null> {
    const { tracing, store, clock, attempts } = this.parts;
    const parent = await store.find(delivery.id);
    if (parent === null) return attempts.attempt(delivery, endpoint, queue, guard, behind);
    if (delivery.attemptCount === 0)
      tracing.record({ name: "wait", parent, startedAt: timeOf(delivery.id), endedAt: clock.now() });
    const span = tracing.begin("attempt", "client", parent, factsOf(delivery, endpoint));
    const traceparent = span?.traceparent ?? parent;
    let error: string | null = null;
    const onExchange = (exchange: Exchange) => {
      ({ error } = exchange);
      if (span) recordSteps(tracing, traceparent, exchange);
    };
    const outcome = await attempts.attempt(
      delivery,
      endpoint.traceparent ? { ...endpoint, headers: { ...endpoint.headers, traceparent } } : endpoint,
      queue,
      guard,
      behind,
      { traceparent: span && traceparent, onExchange },
    );
    if (span) endAttempt(span, outcome, error);
    if (outcome) this.attempted.set(outcome, parent);
    return outcome;
  }

  private async recordTraced(outcome: Outcome, parent: Traceparent): Promise<Recorded> {
    const { tracing, recorder } = this.parts;
    const span = tracing.begin("record", "internal", parent, {});
    if (!span) return recorder.record(outcome);
    try {
      const answer = await recorder.record(outcome);
      span.end({ "hermod.applied": String(answer.applied) }, null);
      return answer;
    } catch (error) {
      span.end({}, error instanceof Error ? error.name : "Error");
      throw error;
    }
  }
}

function factsOf(delivery: PendingDelivery, { url }: EndpointView): Attributes {
  return {
    "http.request.method": "POST",
    "http.request.resend_count": delivery.attemptCount,
    "server.address": URL.parse(url)?.hostname ?? "",
    "hermod.delivery_id": toText("wh", delivery.id),
    "hermod.account_id": toText("acc", delivery.accountId),
    "hermod.sequence": delivery.sequence,
  };
}

function recordSteps(tracing: Tracing, parent: Traceparent, { startedAt, timing }: Exchange): void {
  let at = startedAt;
  for (const [name, step] of STEPS) {
    const ms = timing[step];
    if (ms === null) continue;
    tracing.record({ name, parent, startedAt: at, endedAt: at + ms });
    at += ms;
  }
}

function endAttempt(span: OpenSpan, outcome: Outcome | null, error: string | null): void {
  if (outcome === null) {
    span.end({ "hermod.result": "unsent" }, null);
    return;
  }
  const { kind } = outcome.verdict;
  const { status } = outcome.attempt;
  const answered: Attributes = status > 0 ? { "http.response.status_code": status } : {};
  span.end({ "hermod.result": kind, ...answered }, kind === "delivered" ? null : (error ?? String(status)));
}
