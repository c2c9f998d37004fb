import type { Traceparent } from "../domain/traceparent";

export type Attributes = Readonly<Record<string, string | number>>;

/** `server`: an incoming request. `client`: an outgoing request. `internal`: work within Hermod. */
export type SpanKind = "server" | "client" | "internal";

/** A sampled span under way. */
export type OpenSpan = Readonly<{
  /** The span's own position in its trace, which its children and other services continue. */
  traceparent: Traceparent;
  /** Renames the span and adds attributes. Callers spend the time to find these only for a sampled span. */
  describe(name: string, attributes: Attributes): void;
  /** `error` is a short word for the failure, or null after a success. */
  end(attributes: Attributes, error: string | null): void;
}>;

/** A span that is over. Times are Unix milliseconds. */
export type PastSpan = Readonly<{
  name: string;
  parent: Traceparent;
  startedAt: number;
  endedAt: number;
  attributes?: Attributes;
}>;

/** Records spans and exports them. Hides OpenTelemetry from the rest of Hermod. */
export type Tracing = Readonly<{
  /** Begins a span, and a trace if there is no parent. Returns null if the trace is not sampled. */
  begin(name: string, kind: SpanKind, parent: Traceparent | null, attributes: Attributes): OpenSpan | null;
  record(span: PastSpan): void;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}>;

/** The values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;

/** Chooses the traces that are recorded. `share` (0 to 1) is for the samplers by ratio. */
export type TracingSettings = Readonly<{ sampler: (typeof SAMPLERS)[number]; share: number }>;
