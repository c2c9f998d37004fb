import type { Elysia } from "elysia";
import { ACCOUNT_HEADER } from "../acting";
import { HEADERS } from "../openapi/headers";

/** Answer headers that pages may read: all headers in the OpenAPI document. */
const EXPOSED_HEADERS = Object.keys(HEADERS).join(", ").toLowerCase();
/** Answers to preflights. Browsers keep them for ten minutes. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": `authorization, content-type, idempotency-key, x-request-id, ${ACCOUNT_HEADER}`,
  "access-control-max-age": "600",
};

/**
 * Lets pages of these origins, and no others, read answers (Fetch standard, 3.3). Never with credentials: pages send API keys
 * explicitly, and no cookie replaces one.
 */
export function allowOrigins(app: Elysia, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.onRequest(({ request, set }) => {
    set.headers.vary = "origin";
    const origin = request.headers.get("origin");
    if (origin === null || !allowed.has(origin)) return;
    set.headers["access-control-allow-origin"] = origin;
    set.headers["access-control-expose-headers"] = EXPOSED_HEADERS;
    if (isPreflight(request)) return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
  });
}

function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}
