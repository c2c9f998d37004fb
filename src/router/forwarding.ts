import { METHODS } from "../api/edge/known-paths";
import { bodyProblem, hostProblem } from "../api/edge/request-head";
import { ANY_CELL, badRequest, CELL_HEADER, methodNotAllowed, unknownPath } from "../api/errors";
import type { CellAddress } from "../cells/cell-list";
import type { Clock } from "../runtime/clock";
import { hasCode } from "../runtime/errors";

/** Larger bodies, and bodies of unknown length, are passed on as they come, so they can't be sent a second time. */
export const KEPT_BODY_BYTES = 65_536;
/** A cell that has sent no head of an answer after this time counts as away. Receivers that pull may wait for 30 s. */
export const HEAD_SECONDS = 75;

/** Headers of one connection (RFC 9110, 7.6.1), and headers that each hop writes itself. */
const OF_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const FORWARDED = [...METHODS, "OPTIONS"];

/** Headers that the router's own request has by itself. */
const OF_REQUEST = ["content-length", "expect"];

/** A request whose head can be sent more than once. */
export type Forwardable = Readonly<{
  /** The client's address, or that of the proxy in front. */
  address: string;
  method: string;
  /** The path and the query, as they were sent. */
  target: string;
  signal: AbortSignal;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}>;

/**
 * The cell did not answer. `isSent` is false if it can't have got the request, `isOutage` if that may be for another reason than
 * that the cell is away.
 */
export class CellAway extends Error {
  readonly isSent: boolean;
  readonly isOutage: boolean;

  constructor(
    readonly cell: string,
    { isSent, isOutage }: Readonly<{ isSent: boolean; isOutage: boolean }>,
    cause?: unknown,
  ) {
    super(`the cell ${cell} does not answer`, { cause });
    this.name = "CellAway";
    this.isSent = isSent;
    this.isOutage = isOutage;
  }
}

/**
 * Returns the head of a request as cells get it, without a body. Throws `ApiError` for a request that `fetch` would change: it
 * takes a path's first slashes for one, and sends no body of a GET.
 */
export function headOf(request: Request): Request {
  const { method } = request;
  if (!FORWARDED.includes(method)) throw methodNotAllowed(method, FORWARDED);
  const problem = hostProblem(request) ?? bodyProblem(request);
  if (problem !== null) throw badRequest(problem);
  const head = new Request(addressOf(request), { method, headers: withoutConnection(request.headers) });
  if (targetOf(head).startsWith("//")) throw unknownPath();
  return head;
}

/** Returns the URL of a request. Bun gives only the path of one without a Host, and leaves a fragment in it. */
function addressOf({ url }: Request): string {
  return (url.startsWith("/") ? `http://localhost${url}` : url).replaceAll("#", "%23");
}

/** Returns the path and the query. */
function targetOf({ url }: Request): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

/** Reads a small body, and adds the client's address to `X-Forwarded-For`. */
export async function forwardable(request: Request, head: Request, address: string): Promise<Forwardable> {
  const headers = new Headers(head.headers);
  for (const name of OF_REQUEST) headers.delete(name);
  const earlier = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", earlier === null ? address : `${earlier}, ${address}`);
  // Bun would ask for compressed answers in the client's name.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  const body =
    request.body && length <= KEPT_BODY_BYTES ? new Uint8Array(await request.arrayBuffer()) : request.body;
  const { method, signal } = request;
  return { address, method, target: targetOf(head), signal, headers, body };
}

/** Says in a request that its cell was not chosen for it. */
export function forAnyCell(asked: Forwardable): Forwardable {
  const headers = new Headers(asked.headers);
  headers.set(CELL_HEADER, ANY_CELL);
  return { ...asked, headers };
}

/** True if the request can be sent once more. */
export function isRepeatable({ body }: Forwardable): boolean {
  return !(body instanceof ReadableStream);
}

/**
 * Sends a request to a cell, and resolves with the answer's head, which may take `headMs`; bodies flow as they come. Throws
 * `CellAway`.
 */
export async function forward(
  asked: Forwardable,
  { name, url }: CellAddress,
  { headMs, clock }: Readonly<{ headMs: number; clock: Clock }>,
): Promise<Response> {
  const { method, target, headers, body } = asked;
  const late = new AbortController();
  const stop = clock.after(headMs, () => late.abort());
  try {
    const answer = await fetch(url + target, {
      method,
      headers,
      body,
      signal: AbortSignal.any([asked.signal, late.signal]),
      redirect: "manual",
      decompress: false,
    });
    const { status, statusText } = answer;
    return new Response(answer.body, { status, statusText, headers: withoutConnection(answer.headers) });
  } catch (cause) {
    // The client may have left, or may have been slow with a body that flows.
    const isOfClient = asked.signal.aborted || (late.signal.aborted && !isRepeatable(asked));
    throw new CellAway(name, { isSent: !hasCode(cause, "ECONNREFUSED"), isOutage: !isOfClient }, cause);
  } finally {
    stop();
  }
}

/** Returns the cell that a 421 names; null for other answers. */
export function homeIn({ status, headers }: Response): string | null {
  return status === 421 ? headers.get(CELL_HEADER) : null;
}

function withoutConnection(given: Headers): Headers {
  const headers = new Headers(given);
  const named = given.get("connection")?.toLowerCase().split(",") ?? [];
  const ofConnection = [...OF_CONNECTION, ...named.map((name) => name.trim())];
  for (const name of given.keys()) if (ofConnection.includes(name)) headers.delete(name);
  return headers;
}
