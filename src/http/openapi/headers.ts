import type { JsonRecord } from "./schema";

/** Describes the headers of answers, by name. */
export const HEADERS = {
  "Retry-After": integerHeader("Seconds to wait before the next try."),
  "RateLimit-Limit": integerHeader("Requests the plan allows in a minute; absent when it sets no limit."),
  "RateLimit-Remaining": integerHeader("Requests left of them."),
  "RateLimit-Reset": integerHeader("Seconds until all of them are there again."),
  "X-Request-Id": {
    description: "The id under which the service's log has the details.",
    schema: { type: "string" },
  },
  Allow: { description: "The methods of this path.", schema: { type: "string" } },
  "Accept-Encoding": {
    description: "`identity`: request bodies are sent as they are.",
    schema: { type: "string", enum: ["identity"] },
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description: "Present, and `true`, if this is the answer that an earlier request with the same key got.",
    schema: { type: "string", enum: ["true"] },
  },
};

export type HeaderName = keyof typeof HEADERS;

/** The headers with the state of the caller's rate limit. */
export const RATE_HEADERS: readonly HeaderName[] = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
];

/** Refers to headers by name. */
export function headerRefs(names: readonly HeaderName[]): JsonRecord {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function integerHeader(description: string): JsonRecord {
  return { description, schema: { type: "integer" } };
}
