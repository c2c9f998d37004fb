import type { JsonRecord } from "./schema";

/** Describes the headers of answers, by name. */
export const HEADERS = {
  "Retry-After": integerHeader("Seconds to wait before the next try."),
  "RateLimit-Limit": integerHeader("Requests that the plan allows in a minute; absent if it sets no limit."),
  "RateLimit-Remaining": integerHeader("Requests that are left."),
  "RateLimit-Reset": integerHeader("Seconds until all requests are available again."),
  "X-Request-Id": {
    description:
      "Finds the request in the service's log. It is the request's own `X-Request-Id` if that has 1 to 128 visible ASCII " +
      "characters; otherwise the service makes one.",
    schema: { type: "string" },
  },
  Allow: { description: "The methods that this path supports.", schema: { type: "string" } },
  "Accept-Encoding": {
    description: "`identity`: request bodies must be uncompressed.",
    schema: { type: "string", enum: ["identity"] },
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description:
      "`true` if this repeats the answer to an earlier request with the same key; otherwise absent.",
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

/** Refers to these headers, and to the headers of every answer. */
export function headerRefs(names: readonly HeaderName[] = []): JsonRecord {
  return Object.fromEntries(
    [...names, "X-Request-Id"].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function integerHeader(description: string): JsonRecord {
  return { description, schema: { type: "integer" } };
}
