import { SAMPLERS, type TracingSettings } from "../tracing/tracing";
import type { EnvironmentReader } from "./environment";

/** The signals that a process exports by OTLP. The exporters themselves read the other OTEL_ variables. */
export type OtlpSettings = Readonly<{
  /** Null to export no traces. */
  traces: TracingSettings | null;
  /** Null to export no metrics. */
  metrics: Readonly<{ intervalMs: number }> | null;
  logs: boolean;
}>;

const SCHEMES = ["http:", "https:"];

/** Reads the standard variables of OpenTelemetry. */
export function readOtlp(read: EnvironmentReader): OtlpSettings {
  const isOff = read.flag("OTEL_SDK_DISABLED");
  const common = read.url("OTEL_EXPORTER_OTLP_ENDPOINT", SCHEMES);
  readProtocol(read, "OTEL_EXPORTER_OTLP_PROTOCOL");
  // Traces alone are sent to the common endpoint unasked: many servers there take nothing else.
  const exported = {
    traces: isExported(read, "TRACES", common !== null),
    metrics: isExported(read, "METRICS", false),
    logs: isExported(read, "LOGS", false),
  };
  const sampler = read.oneOf("OTEL_TRACES_SAMPLER", SAMPLERS, "parentbased_always_on");
  const share = read.share("OTEL_TRACES_SAMPLER_ARG", "1");
  const intervalMs = read.integer("OTEL_METRIC_EXPORT_INTERVAL", 60_000, 1_000, 3_600_000);
  read.oneOf("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", ["cumulative"], "cumulative");
  return {
    traces: exported.traces && !isOff ? { sampler, share } : null,
    metrics: exported.metrics && !isOff ? { intervalMs } : null,
    logs: exported.logs && !isOff,
  };
}

/** A signal is exported if its exporter is `otlp`, which is the default once it has an endpoint of its own. */
function isExported(read: EnvironmentReader, signal: string, byDefault: boolean): boolean {
  const endpoint = read.url(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, SCHEMES);
  readProtocol(read, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`);
  const fallback = byDefault || endpoint !== null ? "otlp" : "none";
  return read.oneOf(`OTEL_${signal}_EXPORTER`, ["otlp", "none"], fallback) === "otlp";
}

/** Refuses protocols that Hermod does not speak. */
function readProtocol(read: EnvironmentReader, name: string): void {
  read.oneOf(name, ["http/protobuf"], "http/protobuf");
}
