import { signal } from "@preact/signals";
import { errorOf, HermodError, HermodUnreachable } from "../../client/errors";
import type { AnswerOf, InputOf, Method, OperationOf, PathOf } from "../../client/operation";
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
/** Counts answers with 401, after which the page asks to sign in again. */
export const refusals = signal(0);

type Input = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** Calls a route with the types of the OpenAPI document. Throws HermodError or HermodUnreachable. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<OperationOf<M, P>>,
  signal?: AbortSignal,
): Promise<AnswerOf<OperationOf<M, P>>> {
  return (await ask(method, path, input as Input, signal)) as AnswerOf<OperationOf<M, P>>;
}

/** Calls a route that is not in the document. */
export async function ask(
  method: Method,
  path: string,
  input: Input = {},
  signal?: AbortSignal,
): Promise<unknown> {
  const { response, text } = await exchange(urlOf(path, input), {
    method: method.toUpperCase(),
    headers: headersOf(method, input.body !== undefined),
    body: input.body === undefined ? null : JSON.stringify(input.body),
    credentials: "same-origin",
    redirect: "error",
    signal: signal ?? AbortSignal.timeout(30_000),
  });
  if (response.ok) return parse(text);
  if (response.status === 401 && credentials.value !== null) refusals.value++;
  throw errorOf(response, text);
}

/** Exchanges a key or the token of a link for a session, which is in a cookie or in the page's memory. */
export async function exchangeToken(path: string, token: string, body?: unknown): Promise<unknown> {
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const init = { method: "POST", headers, body: body === undefined ? null : JSON.stringify(body) };
  const { response, text } = await exchange(path, { ...init, credentials: "same-origin" });
  if (!response.ok) throw errorOf(response, text);
  return JSON.parse(text);
}

/** Returns the headers of a request. A POST has an Idempotency-Key, so that a repeated click is one action. */
export function headersOf(method: Method, hasBody: boolean): Record<string, string> {
  const known = credentials.value;
  return {
    accept: "application/json",
    ...known?.headers,
    ...(known?.kind === "bearer" && { authorization: `Bearer ${known.token}` }),
    ...(known?.kind === "cookie" && method !== "get" && { "x-hermod-csrf": known.csrf }),
    ...(actingFor.value !== null && { "hermod-account": actingFor.value }),
    ...(hasBody && { "content-type": "application/json" }),
    ...(method === "post" && { "idempotency-key": randomKey() }),
  };
}

export function urlOf(template: string, { path = {}, query = {} }: Input): string {
  const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(path[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

async function exchange(url: string, init: RequestInit) {
  const sentAt = performance.now();
  try {
    const response = await fetch(url, init);
    readDate(response.headers.get("date"), sentAt);
    return { response, text: await response.text() };
  } catch (cause) {
    throw new HermodUnreachable("Hermod can't be reached", { cause });
  }
}

/** Parses JSON. Keeps the text of numbers that JSON.parse would round. */
function parse(text: string): unknown {
  return JSON.parse(text, function keepWritten(this: unknown, _name, value, context?: { source?: string }) {
    if (typeof value !== "number" || context?.source === undefined) return value;
    return String(value) === context.source ? value : asWritten(value, context.source);
  });
}

function asWritten(value: number, source: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  // Fractions such as 1.50 become numbers. Only integers beyond 2^53 and long fractions would lose digits.
  return rawJSON && (Number.isInteger(value) ? !Number.isSafeInteger(value) : /\d{17}/.test(source))
    ? rawJSON(source)
    : value;
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
