/** The W3C form of a position in a trace: `00-<trace id>-<span id>-<flags>`. */
export type Traceparent = string;

/** The fields of a log line that name its span. */
export type SpanFields = Readonly<{ trace_id?: string; span_id?: string }>;

const FORM = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A version that no implementation may use (W3C Trace Context, 3.2.2.1). */
const FORBIDDEN_VERSION = "ff";

/** Names the span of a log line, so that logs and traces lead to each other. */
export function spanFields(traceparent: Traceparent | null): SpanFields {
  if (traceparent === null) return {};
  const [, trace_id, span_id] = traceparent.split("-");
  return { trace_id, span_id };
}

/** Returns the header's value if it is valid. */
export function parseTraceparent(text: string | null): Traceparent | null {
  return text !== null && FORM.test(text) && !text.startsWith(FORBIDDEN_VERSION) ? text : null;
}
