import { ROOT_CONTEXT, type SpanContext, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  type ReadableSpan,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { Traceparent } from "../domain/traceparent";
import type { Log } from "../runtime/log";
import { VERSION } from "../runtime/version";
import type { Attributes, SpanKind, Tracing, TracingSettings } from "../tracing/tracing";
import { BATCH, boundedQueue, hrTime, MOST_WAITING } from "./collector";
import { readResource } from "./resource";

const KINDS: Readonly<Record<SpanKind, 0 | 1 | 2>> = { internal: 0, server: 1, client: 2 };

/** The facts that distinguish a span. Times are Unix milliseconds. */
type SpanFacts = Readonly<{
  name: string;
  kind: SpanKind;
  context: SpanContext;
  parent: Traceparent | null;
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  error: string | null;
}>;

/**
 * Starts the export by OTLP over HTTP. Address, headers and resource come from the standard OTEL_ variables. Hands finished
 * spans to the SDK's processor. With the SDK's tracer a trace costs 1.6 times as much, for features that are not used here.
 */
export function startTracing(settings: TracingSettings, log: Log): Tracing {
  const exporter = new OTLPTraceExporter();
  const hasRoom = boundedQueue(exporter, "traces", log);
  const batches = { exporter, maxQueueSize: MOST_WAITING, maxExportBatchSize: BATCH };
  const processor = new BatchSpanProcessor(batches);
  const [resource, ids] = [readResource(), new RandomIdGenerator()];
  const { mayRecord, recordsTrace } = samplingOf(settings);
  /** Returns the context of a new span; null if its trace is not recorded. */
  const contextIn = (parent: Traceparent | null): SpanContext | null => {
    if (!mayRecord(parent)) return null;
    const traceId = parent === null ? ids.generateTraceId() : contextOf(parent).traceId;
    if (!recordsTrace(traceId)) return null;
    return { traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.SAMPLED };
  };
  const finish = (facts: SpanFacts) => {
    if (hasRoom()) processor.onEnd(spanOf(facts, resource));
  };
  return {
    begin: (initialName, kind, parent, initialAttributes) => {
      const context = contextIn(parent);
      if (!context) return null;
      const [startedAt, began] = [Date.now(), performance.now()];
      let [name, attributes] = [initialName, initialAttributes];
      return {
        traceparent: `00-${context.traceId}-${context.spanId}-01`,
        describe: (newName, more) => {
          name = newName;
          attributes = { ...attributes, ...more };
        },
        end: (more, error) => {
          const endedAt = startedAt + performance.now() - began;
          const all = { ...attributes, ...more, ...(error !== null && { "error.type": error }) };
          const facts = { name, kind, context, parent, startedAt, endedAt, attributes: all, error };
          finish(facts);
        },
      };
    },
    record: ({ name, parent, startedAt, endedAt, attributes = {} }) => {
      const context = contextIn(parent);
      if (!context) return;
      const times = { startedAt, endedAt };
      const facts = { name, kind: "internal", context, parent, ...times, attributes, error: null } as const;
      finish(facts);
    },
    // A failure is logged already.
    close: () => processor.shutdown().catch(() => {}),
  };
}

type Sampling = Readonly<{
  mayRecord(parent: Traceparent | null): boolean;
  recordsTrace(traceId: string): boolean;
}>;

/** Decides which traces are recorded. `mayRecord` is asked before anything is made for a span, since few are recorded. */
function samplingOf({ sampler: name, share }: TracingSettings): Sampling {
  const recordsTrace = () => true;
  const basedOnParent = (rootShare: number): Sampling => ({
    mayRecord: (parent) => (parent === null ? Math.random() < rootShare : isSampled(parent)),
    recordsTrace,
  });
  switch (name) {
    case "parentbased_always_on":
      return basedOnParent(1);
    case "parentbased_always_off":
      return basedOnParent(0);
    case "parentbased_traceidratio":
      return basedOnParent(share);
    case "always_on":
      return { mayRecord: () => true, recordsTrace };
    case "always_off":
      return { mayRecord: () => false, recordsTrace };
    case "traceidratio": {
      // By the id, as every process of the trace does.
      const sampler = new TraceIdRatioBasedSampler(share);
      const decisionOn = (traceId: string) => sampler.shouldSample(ROOT_CONTEXT, traceId).decision;
      return {
        mayRecord: () => true,
        recordsTrace: (traceId) => decisionOn(traceId) === SamplingDecision.RECORD_AND_SAMPLED,
      };
    }
  }
}

const SCOPE = { name: "hermod", version: VERSION };
const NO_ERROR = { code: SpanStatusCode.UNSET };
const NOTHING_MORE = {
  links: [],
  events: [],
  ended: true,
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
};

function spanOf(facts: SpanFacts, resource: ReadableSpan["resource"]): ReadableSpan {
  const { name, kind, context, parent, startedAt, endedAt, attributes, error } = facts;
  return {
    ...NOTHING_MORE,
    name,
    kind: KINDS[kind],
    spanContext: () => context,
    ...(parent !== null && { parentSpanContext: contextOf(parent) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(endedAt - startedAt),
    status: error === null ? NO_ERROR : { code: SpanStatusCode.ERROR, message: error },
    attributes,
    resource,
    instrumentationScope: SCOPE,
  };
}

/** Reads `00-<trace id>-<span id>-<flags>`, whose parts have fixed lengths. */
function contextOf(parent: Traceparent): SpanContext {
  const traceFlags = isSampled(parent) ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId: parent.slice(3, 35), spanId: parent.slice(36, 52), traceFlags, isRemote: true };
}

/** Reads the flag for a sampled trace, the only one that has a meaning. */
function isSampled(parent: Traceparent): boolean {
  return (Number.parseInt(parent.slice(-2), 16) & TraceFlags.SAMPLED) !== 0;
}
