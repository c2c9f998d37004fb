import { errorOf, HermodUnreachable } from "./errors.ts";
import { liveEvents } from "./live-events.ts";
import type { AnswerOf, InputOf, Method, OperationOf, PathOf } from "./operation.ts";
import { pause } from "./pause.ts";
import { serialize } from "./raw-json.ts";
import { waitBeforeRetry } from "./retry.ts";

export type HermodOptions = {
  /** The service's address, such as `http://127.0.0.1:3000`; `/v1` may follow. */
  url: string;
  /** An API key or a JWT. */
  key: string;
  /** Acts for another account, given by its id or `external_id`. Needs the permission `admin`. */
  account?: string;
  /** Asks this cell of a router, in place of the account's. For a new account also the beginning of names, such as `eu-*`. */
  cell?: string;
  /** Timeout of each try in milliseconds, 30,000 by default. */
  timeoutMs?: number;
  /** Most retries of a request that is safe to repeat, 4 by default. */
  maxRetries?: number;
  /** Makes the Idempotency-Key of each POST without one, for example `() => crypto.randomUUID()`. */
  newIdempotencyKey?: () => string;
  /** Replaces the global fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Replaces JSON.parse, which rounds numbers beyond 2^53. */
  parse?: (text: string) => unknown;
};

export type RequestOptions = {
  /** Aborts the request and its retries. */
  signal?: AbortSignal;
};

export type PostOptions = RequestOptions & {
  /** Makes the request safe to repeat for 24 hours. A POST is retried only with a key. */
  idempotencyKey?: string;
};

/** The repetition of a request whose own rules differ from those of its method. */
export type RepeatOptions = {
  /** True if the request is safe to repeat without an Idempotency-Key. */
  isRepeatable?: boolean;
  maxRetries?: number;
  /** Timeout of each try. */
  timeoutMs?: number;
  /** Reads the answer's text. */
  parse?: (text: string) => unknown;
};

/** An operation's input by its place in the request, for any operation. */
type OperationInput = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** The options of requests, and what proves who sends them. */
export type TransportOptions = Omit<HermodOptions, "key" | "account" | "cell"> & {
  /** Returns the headers with the credential. */
  credentials(method: Method): Readonly<Record<string, string>>;
};

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 4;

/** Builds the transport of a key. */
export function transportOf({ key, account, cell, ...options }: HermodOptions): Transport {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(account !== undefined && { "hermod-account": encodeURIComponent(account) }),
    ...(cell !== undefined && { "hermod-cell": cell }),
  };
  return new Transport({ ...options, credentials: () => headers });
}

/** Sends HTTP requests: one typed call for every route, with timeouts, retries and errors. */
export class Transport {
  private readonly origin: string;

  constructor(private readonly options: TransportOptions) {
    assertHttp(options.url);
    this.origin = options.url.replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "");
  }

  /**
   * Calls a route. Throws a HermodError if the service refuses, a HermodUnreachable if there is no answer. Retries
   * requests that are safe to repeat after 429, 502, 503, 504 and no answer: reads, PUT, DELETE, and POST with an
   * Idempotency-Key.
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputOf<OperationOf<M, P>>,
    options: PostOptions = {},
  ): Promise<AnswerOf<OperationOf<M, P>>> {
    return (await this.ask(method, path, input as OperationInput, options)) as AnswerOf<OperationOf<M, P>>;
  }

  /** Calls a route without its types. */
  async ask(
    method: Method,
    path: string,
    input: OperationInput,
    { signal, ...options }: PostOptions & RepeatOptions = {},
  ): Promise<unknown> {
    const isKeyed = method === "post" && !options.isRepeatable;
    const idempotencyKey =
      options.idempotencyKey ?? (isKeyed ? this.options.newIdempotencyKey?.() : undefined);
    const init = this.initOf(method, input, idempotencyKey);
    // A repeated PATCH could overwrite another client's change, so the caller must repeat it.
    const isRepeatable = method === "post" ? idempotencyKey !== undefined : method !== "patch";
    return this.insist(this.origin + pathOf(path, input), init, { isRepeatable, ...options }, signal);
  }

  /** The timeout of each try in milliseconds. */
  get timeoutMs(): number {
    return this.options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Reads an answer's text. */
  get parse(): (text: string) => unknown {
    return this.options.parse ?? JSON.parse;
  }

  /** Follows a stream of server-sent events without end; yields the data of events with one of these names. */
  async *live<Data>(
    path: string,
    query: Record<string, unknown>,
    names: readonly string[],
    options: RequestOptions,
  ): AsyncGenerator<Data, void, undefined> {
    const { maxRetries = MAX_RETRIES } = this.options;
    const url = this.origin + pathOf(path, { query });
    const open = (lastEventId: string | null, signal: AbortSignal) => this.open(url, lastEventId, signal);
    for await (const { name, data } of liveEvents({ open, maxRetries, ...options }))
      if (names.includes(name)) yield this.parse(data) as Data;
  }

  private async open(url: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    const { fetch = globalThis.fetch } = this.options;
    const { headers, ...init } = this.initOf("get", {}, undefined);
    const asked = {
      ...headers,
      accept: "text/event-stream",
      ...(lastEventId !== null && { "last-event-id": lastEventId }),
    };
    const response = await orUnreachable(() => fetch(url, { ...init, headers: asked, signal }), url);
    if (!response.ok) throw errorOf(response, await orUnreachable(() => response.text(), url));
    return response;
  }

  private initOf(method: Method, { body }: OperationInput, idempotencyKey: string | undefined): RequestInit {
    const headers: Record<string, string> = {
      accept: "application/json",
      ...this.options.credentials(method),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    };
    const init = { method: method.toUpperCase(), headers, redirect: "manual" } as const;
    return body === undefined ? init : { ...init, body: serialize(body) };
  }

  private async insist(
    url: string,
    init: RequestInit,
    { isRepeatable = false, maxRetries = this.options.maxRetries ?? MAX_RETRIES, ...trying }: RepeatOptions,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.try(url, init, trying, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const wait = waitBeforeRetry({ error, isRepeatable, retries, maxRetries }, Math.random());
        if (wait === null) throw error;
        await pause(wait, signal);
        signal?.throwIfAborted();
      }
    }
  }

  private async try(
    url: string,
    init: RequestInit,
    { timeoutMs = this.timeoutMs, parse = this.parse }: RepeatOptions,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { fetch = globalThis.fetch } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const { response, text } = await exchange(() => fetch(url, { ...init, signal: either }), url);
    if (!response.ok) throw errorOf(response, text);
    return read(() => parse(text), url);
  }
}

/**
 * Requires http or https. Without a scheme, `localhost:3000` would be a URL of the scheme localhost and fail at the
 * first request.
 */
function assertHttp(url: string): void {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  throw new TypeError("url must begin with http:// or https://");
}

async function exchange(send: () => Promise<Response>, url: string) {
  return orUnreachable(async () => {
    const response = await send();
    return { response, text: await response.text() };
  }, url);
}

async function orUnreachable<T>(work: () => Promise<T>, url: string): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new HermodUnreachable(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
  }
}

/** Parses an answer. It may not be JSON, since a gateway may have sent it. */
function read(parse: () => unknown, url: string): unknown {
  try {
    return parse();
  } catch (cause) {
    throw new HermodUnreachable(`No answer from ${new URL(url).origin}: the answer is not JSON`, { cause });
  }
}

/** Finds the reason of a failed fetch. Node has it in the cause of `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it took too long";
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

function pathOf(template: string, { path = {}, query = {} }: OperationInput): string {
  const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) => segmentOf(name, path[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/**
 * Encodes a path segment. Refuses an empty segment and dots, which would lead to another path, such as a list (RFC 3986, 5.2.4).
 */
function segmentOf(name: string, value: string): string {
  if (["", ".", ".."].includes(value)) throw new TypeError(`${name} can't be ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}
