import { signal } from "@preact/signals";
import { HermodError, HermodUnreachable } from "../../client/errors";
import type { AnswerOf, InputOf, Method, OperationOf, PathOf } from "../../client/operation";
import { Transport } from "../../client/transport";
import { BASE_PATH } from "./base-path";
import { readDate } from "./server-clock";

export { HermodError, HermodUnreachable };

/** The credential of requests. The browser sends a cookie itself; writes add the CSRF token, which no other site knows. */
export type Credentials =
  | { kind: "cookie"; csrf: string; headers?: Record<string, string> }
  | { kind: "bearer"; token: string; headers?: Record<string, string> };

/** Null before the sign-in. */
export const credentials = signal<Credentials | null>(null);
/** The account for which an administrator acts; null for the session's own. */
export const actingFor = signal<string | null>(null);
/** The cell that the page shows; null to let the router find the account's. */
export const askedCell = signal<string | null>(null);
/** Counts answers with 401, after which the page asks to sign in again. */
export const refusals = signal(0);

type Input = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** The address of the API. */
export const SERVICE_URL = location.origin + BASE_PATH;

const shared = {
  url: SERVICE_URL,
  fetch: timedFetch,
  parse: parseJson,
  // A repeated click is one action.
  newIdempotencyKey: randomKey,
};
/** Pages show a failure at once, and ask again by themselves. */
const transport = new Transport({ ...shared, credentials: headersOf, maxRetries: 0 });
const streams = new Transport({
  ...shared,
  credentials: headersOf,
  maxRetries: Number.POSITIVE_INFINITY,
});

/** Calls a route with the types of the OpenAPI document. Throws HermodError or HermodUnreachable. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<OperationOf<M, P>>,
): Promise<AnswerOf<OperationOf<M, P>>> {
  return (await ask(method, path, input as Input)) as AnswerOf<OperationOf<M, P>>;
}

/** Calls a route that is not in the document. */
export async function ask(method: Method, path: string, input: Input = {}): Promise<unknown> {
  try {
    return await transport.ask(method, path, { ...input, query: given(input.query) });
  } catch (error) {
    if (error instanceof HermodError && error.status === 401 && credentials.value !== null) refusals.value++;
    throw error;
  }
}

/** Follows new and changed rows until the signal aborts. Throws if the service refuses. */
export function follow<Row>(path: string, query: Record<string, unknown>, signal: AbortSignal) {
  return streams.live<Row>(path, given(query), ["delivery", "update"], { signal });
}

/** Exchanges a key or the token of a link for a session, which is in a cookie or in the page's memory. */
export function exchangeToken(path: string, token: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const { newIdempotencyKey: _, ...once } = shared;
  return new Transport({ ...once, credentials: () => headers }).ask("post", path, { body });
}

/** Returns the headers with the credential, and the account and the cell that the page shows. */
function headersOf(method: Method): Record<string, string> {
  const known = credentials.value;
  return {
    ...known?.headers,
    ...(known?.kind === "bearer" && { authorization: `Bearer ${known.token}` }),
    ...(known?.kind === "cookie" && method !== "get" && { "x-hermod-csrf": known.csrf }),
    ...(actingFor.value !== null && { "hermod-account": actingFor.value }),
    ...(askedCell.value !== null && { "hermod-cell": askedCell.value }),
  };
}

/** Returns the parameters that have a value. */
function given(query: Record<string, unknown> = {}): Record<string, unknown> {
  const hasValue = ([, value]: [string, unknown]) => value !== undefined && value !== null && value !== "";
  return Object.fromEntries(Object.entries(query).filter(hasValue));
}

async function timedFetch(url: string, init: RequestInit): Promise<Response> {
  const sentAt = performance.now();
  const response = await fetch(url, init);
  readDate(response.headers.get("date"), sentAt);
  return response;
}

/** Parses JSON. A number that JavaScript would write otherwise, such as 1.50 or one beyond 2^53, keeps its text. */
export function parseJson(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  return JSON.parse(text, function keepWritten(this: unknown, _name, value, context?: { source?: string }) {
    const source = context?.source;
    if (rawJSON === undefined || source === undefined || typeof value !== "number") return value;
    return String(value) === source ? value : rawJSON(source);
  });
}

/** `crypto.randomUUID` exists only over https and on loopback. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** True if the service has no such path, in this version or for this session. */
export function isAbsent(error: unknown): boolean {
  return error instanceof HermodError && [403, 404, 405].includes(error.status);
}
