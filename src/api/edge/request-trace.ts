import { parseTraceparent, type Traceparent } from "../../domain/traceparent";
import type { OpenSpan, Tracing } from "../../tracing/tracing";

/** The spans of sampled requests. */
const spans = new WeakMap<Request, OpenSpan>();

/** Matches ids and names in paths, which differ between requests. */
const VARIABLE = /\/((acc|ep|evt|job|key|ses|wh)_\w+|~[^/]+)|(?<=\/(event-types|plans)\/)[^/]+/g;

/** Returns where the trace of a request goes on; null if it is not sampled. */
export function traceOf(request: Request): Traceparent | null {
  return spans.get(request)?.traceparent ?? null;
}

/** Begins the span of a request, which continues the trace of its sender. Null if it is not sampled. */
export function beginTrace(tracing: Tracing, request: Request): OpenSpan | null {
  const parent = parseTraceparent(request.headers.get("traceparent"));
  const span = tracing.begin(request.method, "server", parent, {});
  if (span === null) return null;
  const path = URL.parse(request.url)?.pathname ?? "";
  const route = path.replace(VARIABLE, (found) => (found.startsWith("/") ? "/{id}" : "{name}"));
  const attributes = { "http.request.method": request.method, "http.route": route, "url.path": path };
  span.describe(`${request.method} ${route}`, attributes);
  spans.set(request, span);
  return span;
}

/** Ends the span with the answer's status. */
export function endTrace(span: OpenSpan, status: number, requestId: string): void {
  const failed = status >= 500 ? String(status) : null;
  span.end({ "http.response.status_code": status, "hermod.request_id": requestId }, failed);
}
