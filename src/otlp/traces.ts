import { ROOT_CONTEXT, type SpanContext, TraceFlags, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../runtime/log";
import { VERSION } from "../runtime/version";
import type { OpenSpan, SpanKind, Traceparent, Tracing } from "../tracing/tracing";
import type { TracingSettings } from "../tracing/tracing-settings";
import { reportOutages } from "./collector";
import { readResource } from "./resource";

const KINDS: Readonly<Record<SpanKind, 0 | 1 | 2>> = { internal: 0, server: 1, client: 2 };
const ERROR = 2;

/** Starts the export by OTLP over HTTP. Address, headers and resource come from the standard OTEL_ variables. */
export function startTracing(settings: TracingSettings, log: Log): Tracing {
  const exporter = new OTLPTraceExporter();
  reportOutages(exporter, "traces", log);
  const spanProcessors = [new BatchSpanProcessor({ exporter })];
  const { mayRecord, sampler } = samplingOf(settings);
  const provider = new TracerProvider({ resource: readResource(), spanProcessors, sampler });
  const tracer = provider.getTracer("hermod", VERSION);
  return {
    begin: (name, kind, parent, attributes) => {
      if (!mayRecord(parent)) return null;
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
      return span.isRecording() ? openSpan(span) : null;
    },
    record: ({ name, parent, startedAt, endedAt, attributes = {} }) => {
      if (!mayRecord(parent)) return;
      tracer.startSpan(name, { startTime: startedAt, attributes }, contextOf(parent)).end(endedAt);
    },
    // A failure is logged already.
    close: () => provider.shutdown().catch(() => {}),
  };
}

type Sampling = Readonly<{ mayRecord(parent: Traceparent | null): boolean; sampler: Sampler }>;

/**
 * Decides which traces are recorded. `mayRecord` is asked before anything is made for a span: few are recorded, and the SDK
 * makes ids and an object for each that its own sampler refuses.
 */
function samplingOf({ sampler: name, share }: TracingSettings): Sampling {
  const sampler = new AlwaysOnSampler();
  const basedOnParent = (rootShare: number): Sampling => ({
    mayRecord: (parent) =>
      parent === null ? Math.random() < rootShare : flagsOf(parent) === TraceFlags.SAMPLED,
    sampler,
  });
  switch (name) {
    case "parentbased_always_on":
      return basedOnParent(1);
    case "parentbased_always_off":
      return basedOnParent(0);
    case "parentbased_traceidratio":
      return basedOnParent(share);
    case "always_on":
      return { mayRecord: () => true, sampler };
    case "always_off":
      return { mayRecord: () => false, sampler };
    case "traceidratio":
      // By the id, as every process of the trace does: the SDK has to make the id first.
      return { mayRecord: () => true, sampler: new TraceIdRatioBasedSampler(share) };
  }
}

function openSpan(span: ReturnType<Tracer["startSpan"]>): OpenSpan {
  return {
    traceparent: traceparentOf(span.spanContext()),
    describe: (name, attributes) => {
      span.updateName(name).setAttributes(attributes);
    },
    end: (attributes, error) => {
      span.setAttributes(attributes);
      if (error !== null) span.setAttribute("error.type", error).setStatus({ code: ERROR, message: error });
      span.end();
    },
  };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): Traceparent {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function contextOf(parent: Traceparent | null) {
  if (parent === null) return ROOT_CONTEXT;
  const [, traceId = "", spanId = ""] = parent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flagsOf(parent), isRemote: true });
}

/** Reads the flag for a sampled trace, the only one that has a meaning. */
function flagsOf(parent: Traceparent): number {
  return Number.parseInt(parent.slice(-2), 16) & TraceFlags.SAMPLED;
}
