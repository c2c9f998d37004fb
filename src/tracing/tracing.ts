/** The W3C form of a place in a trace: `00-<trace id>-<span id>-<flags>`. */
export type Traceparent = string;

export type Attributes = Readonly<Record<string, string | number>>;

/** What a span is: a request that came in, one that goes out, or work within. */
export type SpanKind = "server" | "client" | "internal";

/** A sampled span under way. */
export type OpenSpan = Readonly<{
  /** Its own place, which its children and other services continue. */
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

/** Records spans and exports them. The only thing that the rest of Hermod knows of OpenTelemetry. */
export type Tracing = Readonly<{
  /** Begins a span. Null if its trace is not sampled. Without a parent it begins a trace. */
  begin(name: string, kind: SpanKind, parent: Traceparent | null, attributes: Attributes): OpenSpan | null;
  record(span: PastSpan): void;
  /** Exports the remaining spans, within some seconds. */
  close(): Promise<void>;
}>;

const FORM = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** A version that no implementation may use (W3C Trace Context, 3.2.2.1). */
const FORBIDDEN_VERSION = "ff";

/** Returns the header's value if it is valid. */
export function parseTraceparent(text: string | null): Traceparent | null {
  return text !== null && FORM.test(text) && !text.startsWith(FORBIDDEN_VERSION) ? text : null;
}
