import type { Clock } from "../runtime/clock";
import { Turnstile } from "../runtime/turnstile";
import { Cutoff } from "./cutoff";
import { Deadlines } from "./deadlines";
import type { Exchange, ExchangeError } from "./exchange";
import { failureOf, neverConnected, ProxyRefusal, UnreadableAnswer } from "./failure";
import type { TargetResolver } from "./resolver";
import { readBody } from "./response-body";
import { parseRetryAfter } from "./retry-after";
import type { ResolvedTarget } from "./route";
import { TargetError } from "./target-error";

/**
 * Idle connections are given up before the minute after which most receivers close them. Bun keeps no more
 * than 64 of them, over all plain receivers together.
 */
const IDLE_CONNECTION_S = 30;

/** Most addresses of a name that one exchange tries to connect to. */
const MAX_TRIES = 3;

/** Most cutoffs kept for use again; a new one for every exchange was measured 5 % slower. */
const MAX_SPARE = 1_024;

export type SenderOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid">;
  /** Deadline of an exchange unless the request has its own; look-up, connection and body included. */
  timeoutMs: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  /**
   * Most exchanges under way at once; more wait in the order they came. Bun has a bound of its own, 256
   * unless BUN_CONFIG_MAX_HTTP_REQUESTS is in its environment.
   */
  maxInFlight: number;
  /** Authorities to trust in place of the usual ones, PEM. */
  certificateAuthorities?: string;
  /**
   * The URL of an HTTP proxy that every request goes through; none unless given. It is asked for the address
   * that was checked, never for a name: by CONNECT for https, with an absolute URL for http.
   */
  egressProxy?: string | null;
};

export type SendRequest = {
  url: string;
  /** Names in lower case; `host` and `user-agent` are set here. */
  headers: Record<string, string>;
  body: string;
  /** Ends the exchange, or its wait for a place, with `aborted`. */
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Asked right before the connection is used; when it says no, nothing is sent and the exchange is `aborted`. */
  mayStart?: () => boolean;
};

/** Sends requests to receivers nobody vouches for. */
export class Sender {
  private readonly turnstile: Turnstile;
  private readonly deadlines: Deadlines;
  private readonly spare: Cutoff[] = [];
  private readonly session: Bun.FetchSession;

  constructor(private readonly options: SenderOptions) {
    this.turnstile = new Turnstile(options.maxInFlight);
    this.deadlines = new Deadlines(options.clock);
    this.session = new Bun.FetchSession({
      // Neither a proxy nor exceptions from one are taken from the environment.
      proxy: options.egressProxy ? { url: options.egressProxy, respectNoProxy: false } : false,
      tls: this.tls({}),
      keepAlive: { idleTimeout: IDLE_CONNECTION_S },
    });
  }

  /** Exchanges under way. */
  get inFlight(): number {
    return this.turnstile.occupied;
  }

  /** Requests waiting for a place. */
  get queued(): number {
    return this.turnstile.queued;
  }

  /** POSTs once, follows nothing, retries nothing. Never rejects: the exchange tells how it went. */
  async send(request: SendRequest): Promise<Exchange> {
    if (!this.turnstile.tryEnter() && !(await this.turnstile.enter(request.signal)))
      return notSent("aborted");
    try {
      return await this.exchange(request);
    } finally {
      this.turnstile.leave();
    }
  }

  /** Closes idle connections; exchanges under way go on. */
  close(): void {
    this.session.close();
  }

  private async exchange(request: SendRequest): Promise<Exchange> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const cutoff = this.spare.pop() ?? new Cutoff();
    cutoff.begin(request.signal);
    this.deadlines.set(cutoff, startedAt, timeoutMs);
    let status = 0;
    let retryAfterMs: number | null = null;
    let responseBody: string | null = null;
    let error: ExchangeError | null = null;
    try {
      const response = await this.connect(request, cutoff);
      status = response.status;
      retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), clock.now());
      responseBody = await readBody(response);
    } catch (thrown) {
      error = cutoff.cause ?? failureOf(thrown, this.isProxied);
    } finally {
      this.deadlines.clear(cutoff, timeoutMs);
      if (cutoff.end() && error === null && this.spare.length < MAX_SPARE) this.spare.push(cutoff);
    }
    return {
      status,
      error,
      durationMs: Math.round(clock.monotonic() - startedAt),
      responseBody,
      retryAfterMs,
    };
  }

  // A name with several addresses gets a second try when there was no connection to the first: nothing was
  // sent yet. The common case is `localhost` with a receiver that listens on only one of its two.
  private async connect(request: SendRequest, cutoff: Cutoff): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const resolved = this.options.resolver.resolve(request.url);
      const target = resolved instanceof Promise ? await cutoff.race(resolved) : resolved;
      if (request.mayStart?.() === false) throw new TargetError("aborted", "it is not to start any more");
      try {
        return this.checkHead(await this.post(target, request, cutoff.signal), target);
      } catch (thrown) {
        const another = cutoff.cause !== "aborted" && this.options.resolver.avoid(target);
        if (!another || !neverConnected(thrown) || tries === MAX_TRIES) throw thrown;
      }
    }
  }

  private post(target: ResolvedTarget, request: SendRequest, signal: AbortSignal): Promise<Response> {
    const { serverName } = target;
    return fetch(target.url, {
      method: "POST",
      headers: { ...request.headers, "user-agent": this.options.userAgent, host: target.host },
      body: request.body,
      redirect: "manual",
      decompress: false,
      signal,
      session: this.session,
      tls: serverName === null ? undefined : this.tls({ serverName }),
    });
  }

  private get isProxied(): boolean {
    return Boolean(this.options.egressProxy);
  }

  private checkHead(response: Response, target: ResolvedTarget): Response {
    const refusal = this.refusalOf(response, target);
    if (!refusal) return response;
    response.body?.cancel().catch(() => {});
    throw refusal;
  }

  private refusalOf({ status }: Response, { url }: ResolvedTarget): Error | null {
    // The parser takes any three digits; a final answer has no status below 200 (RFC 9110, 15).
    if (status < 200) return new UnreadableAnswer(`status ${status}`);
    // Within a tunnel every answer is the receiver's.
    return status === 407 && this.isProxied && url.startsWith("http:") ? new ProxyRefusal() : null;
  }

  private tls(options: { serverName?: string }): { serverName?: string; ca?: string } {
    const ca = this.options.certificateAuthorities;
    return ca === undefined ? options : { ...options, ca };
  }
}

function notSent(error: ExchangeError): Exchange {
  return { status: 0, error, durationMs: 0, responseBody: null, retryAfterMs: null };
}
