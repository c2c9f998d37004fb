import type { JsonRecord } from "./schema";

/** Describes the headers of answers, by name. */
export const HEADERS = {
  "Retry-After": integerHeader("Seconds to wait before the next try; with 429 and 503."),
  "RateLimit-Limit": integerHeader(
    "Requests that the plan allows in a minute; absent if it sets no limit, and with 401.",
  ),
  "RateLimit-Remaining": integerHeader("Requests that are left."),
  "RateLimit-Reset": integerHeader("Seconds until all requests are available again."),
  "X-Request-Id": {
    description:
      "Finds the request in the service's log. It is the request's own `X-Request-Id` if that has 1 to 128 visible ASCII " +
      "characters; otherwise the service makes one.",
    schema: { type: "string" },
  },
  "Hermod-Cell": { description: "The cell that has the account; with 421.", schema: { type: "string" } },
  Allow: { description: "The methods that this path supports; with 405.", schema: { type: "string" } },
  "Accept-Encoding": {
    description: "`identity`: request bodies must be uncompressed; with 415.",
    schema: { type: "string", enum: ["identity"] },
  },
  "WWW-Authenticate": { description: "How to authenticate; with 401.", schema: { type: "string" } },
  "Idempotency-Replayed": {
    description:
      "`true` if this repeats the answer to an earlier request with the same key; otherwise absent.",
    schema: { type: "string", enum: ["true"] },
  },
};

export type HeaderName = keyof typeof HEADERS;

const RATE_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

/**
 * The headers of every success. The set is the same for all, because generators make a type of a body and its headers, and two
 * sets for one body would clash.
 */
export const SUCCESS_HEADERS: readonly HeaderName[] = ["Idempotency-Replayed", ...RATE_HEADERS];

/** The headers of every error: one set, since all errors have one body. Each header says when it is present. */
export const ERROR_HEADERS: readonly HeaderName[] = [
  "Accept-Encoding",
  "Allow",
  "Hermod-Cell",
  "Retry-After",
  "WWW-Authenticate",
  ...RATE_HEADERS,
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
