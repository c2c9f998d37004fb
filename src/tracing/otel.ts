import { ROOT_CONTEXT, type SpanContext, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { systemClock, within } from "../runtime/clock";
import { VERSION } from "../runtime/version";
import type { OpenSpan, SpanKind, Traceparent, Tracing } from "./tracing";
import type { TracingSettings } from "./tracing-settings";

/** How long the end of the process waits for the last export. */
const CLOSE_MS = 3_000;

const KINDS: Readonly<Record<SpanKind, 0 | 1 | 2>> = { internal: 0, server: 1, client: 2 };
const ERROR = 2;

/** Starts the export by OTLP over HTTP. Address, headers and resource come from the standard OTEL_ variables. */
export function startTracing({ sampler, share }: TracingSettings): Tracing {
  const own = resourceFromAttributes({ "service.name": "hermod", "service.version": VERSION });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors = [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })];
  const provider = new TracerProvider({ resource, spanProcessors, sampler: samplerOf(sampler, share) });
  const tracer = provider.getTracer("hermod", VERSION);
  return {
    begin: (name, kind, parent, attributes) => {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
      return span.isRecording() ? openSpan(span) : null;
    },
    record: ({ name, parent, startedAt, endedAt, attributes = {} }) =>
      tracer.startSpan(name, { startTime: startedAt, attributes }, contextOf(parent)).end(endedAt),
    close: async () => {
      await within(
        systemClock,
        CLOSE_MS,
        provider.shutdown().catch(() => {}),
      );
    },
  };
}

function samplerOf(name: TracingSettings["sampler"], share: number): Sampler {
  const [, kind = name] = /^parentbased_(.+)$/.exec(name) ?? [];
  const root =
    kind === "traceidratio"
      ? new TraceIdRatioBasedSampler(share)
      : kind === "always_off"
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return kind === name ? root : new ParentBasedSampler({ root });
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
  const [, traceId = "", spanId = "", flags = "00"] = parent.split("-");
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
