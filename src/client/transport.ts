import { errorOf, HermodUnreachable } from "./errors.ts";
import type { AnswerOf, InputOf, Method, OperationOf, PathOf } from "./operation.ts";
import { pause } from "./pause.ts";
import { serialize } from "./raw-json.ts";
import { waitBeforeRetry } from "./retry.ts";

export type HermodOptions = {
  /** Of the service, such as `http://127.0.0.1:3000`; `/v1` may follow. */
  url: string;
  /** An API key, or a JWT. */
  key: string;
  /** Acts for another account, by its id or `external_id`; needs the permission `admin`. */
  account?: string;
  /** For each try, milliseconds; 30,000 unless given. */
  timeoutMs?: number;
  /** How often a request that may be repeated is tried again; 4 unless given. */
  maxRetries?: number;
  /** Makes the Idempotency-Key of each POST that is given none, such as `() => crypto.randomUUID()`. */
  newIdempotencyKey?: () => string;
  /** Instead of the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Reads answers instead of JSON.parse, which rounds numbers beyond 2^53. */
  parse?: (text: string) => unknown;
};

export type RequestOptions = {
  /** Ends the request, and its retries. */
  signal?: AbortSignal;
};

export type PostOptions = RequestOptions & {
  /** Makes the request safe to repeat, for 24 hours; only then is a POST tried again. */
  idempotencyKey?: string;
};

/** An operation's input as it is on the wire, whatever the operation. */
type Input = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 4;

/** Speaks HTTP: one typed call for every route, with timeouts, retries and errors. */
export class Transport {
  private readonly origin: string;

  constructor(private readonly options: HermodOptions) {
    assertHttp(options.url);
    this.origin = options.url.replace(/\/+$/, "").replace(/\/v1$/, "");
  }

  /**
   * Throws a HermodError when the service refuses, a HermodUnreachable when there is no answer. What changes
   * nothing, PUT and DELETE, and a POST with an Idempotency-Key are tried again after 429, 502, 503, 504
   * and no answer.
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputOf<OperationOf<M, P>>,
    options: PostOptions = {},
  ): Promise<AnswerOf<OperationOf<M, P>>> {
    return (await this.ask(method, path, input as Input, options)) as AnswerOf<OperationOf<M, P>>;
  }

  /** The same for a route that the types do not know. */
  async ask(method: Method, path: string, input: Input, options: PostOptions = {}): Promise<unknown> {
    const idempotencyKey =
      method === "post" ? (options.idempotencyKey ?? this.options.newIdempotencyKey?.()) : undefined;
    const init = this.initOf(method, input, idempotencyKey);
    // A PATCH sets fields, but between two of them another's may have come: it is for the caller to repeat.
    const isRepeatable = method === "post" ? idempotencyKey !== undefined : method !== "patch";
    return this.insist(this.origin + pathOf(path, input), init, isRepeatable, options.signal);
  }

  private initOf(method: Method, { body }: Input, idempotencyKey: string | undefined): RequestInit {
    const { key, account } = this.options;
    const headers: Record<string, string> = {
      accept: "application/json",
      authorization: `Bearer ${key}`,
      ...(account !== undefined && { "hermod-account": encodeURIComponent(account) }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    };
    const init = { method: method.toUpperCase(), headers, redirect: "manual" } as const;
    return body === undefined ? init : { ...init, body: serialize(body) };
  }

  private async insist(
    url: string,
    init: RequestInit,
    isRepeatable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { maxRetries = MAX_RETRIES } = this.options;
    for (let retries = 0; ; retries++) {
      try {
        return await this.try(url, init, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const wait = waitBeforeRetry({ error, isRepeatable, retries, maxRetries }, Math.random());
        if (wait === null) throw error;
        await pause(wait, signal);
        signal?.throwIfAborted();
      }
    }
  }

  private async try(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
    const { timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch, parse = JSON.parse } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const { response, text } = await exchange(() => fetch(url, { ...init, signal: either }), url);
    if (!response.ok) throw errorOf(response, text);
    return read(() => parse(text), url);
  }
}

/** Without its scheme `localhost:3000` would be a URL of the scheme localhost, and only a request would say so. */
function assertHttp(url: string): void {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  throw new TypeError("The url of a Hermod must be one that begins with http:// or https://");
}

async function exchange(send: () => Promise<Response>, url: string) {
  try {
    const response = await send();
    return { response, text: await response.text() };
  } catch (cause) {
    throw new HermodUnreachable(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
  }
}

/** Something on the way, such as a gateway, may have answered in our place. */
function read(parse: () => unknown, url: string): unknown {
  try {
    return parse();
  } catch (cause) {
    throw new HermodUnreachable(`No answer from ${new URL(url).origin}: what came is not JSON`, { cause });
  }
}

/** Node tells the reason in the cause of a `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it took too long";
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

function pathOf(template: string, { path = {}, query = {} }: Input): string {
  const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) => segmentOf(name, path[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** An empty one, or one that is resolved away (RFC 3986, 5.2.4), would make another path of it: a list, say. */
function segmentOf(name: string, value: string): string {
  if (["", ".", ".."].includes(value)) throw new TypeError(`${name} can't be ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}
