import type { Clock } from "../runtime/clock";
import { Turnstile } from "../runtime/turnstile";
import { AnswerReader } from "./answer-reader";
import { Cutoff } from "./cutoff";
import { Deadlines } from "./deadlines";
import { Dialer } from "./dialer";
import type { EgressProxy } from "./egress-proxy";
import type { Exchange, ExchangeError } from "./exchange";
import { failureOf, neverConnected } from "./failure";
import { IdleConnections } from "./idle-connections";
import { postBytes } from "./post";
import type { TargetResolver } from "./resolver";
import { parseRetryAfter } from "./retry-after";
import type { ResolvedTarget } from "./route";
import { TargetError } from "./target-error";

/** Most addresses of a name that one exchange tries to connect to. */
const MAX_TRIES = 3;

export type SenderOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid">;
  /** Deadline of an exchange unless the request has its own; look-up, connection and body included. */
  timeoutMs: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  /** Most exchanges under way at once; more wait in the order they came. */
  maxInFlight: number;
  /** Authorities to trust in place of the usual ones, PEM. */
  certificateAuthorities?: string;
  /** What every request goes through; nothing unless given. */
  egressProxy?: EgressProxy | null;
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
  private readonly dialer: Dialer;
  private readonly idle: IdleConnections;

  constructor(private readonly options: SenderOptions) {
    const { maxInFlight, clock, egressProxy = null, certificateAuthorities } = options;
    this.turnstile = new Turnstile(maxInFlight);
    this.deadlines = new Deadlines(clock);
    this.dialer = new Dialer({ egressProxy, certificateAuthorities });
    this.idle = new IdleConnections(clock);
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
    this.idle.close();
  }

  private async exchange(request: SendRequest): Promise<Exchange> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const cutoff = new Cutoff(request.signal);
    this.deadlines.set(cutoff, startedAt, timeoutMs);
    const reader = new AnswerReader();
    let error: ExchangeError | null = null;
    try {
      await this.post(request, reader, cutoff);
    } catch (thrown) {
      error = cutoff.cause ?? failureOf(thrown, this.isProxied);
    } finally {
      this.deadlines.clear(cutoff, timeoutMs);
      cutoff.end();
    }
    return {
      status: reader.status,
      error,
      durationMs: Math.round(clock.monotonic() - startedAt),
      responseBody: error === null ? reader.bodyText : null,
      retryAfterMs: parseRetryAfter(reader.retryAfter, clock.now()),
    };
  }

  // A name with several addresses gets a second try when there was no connection to the first: nothing was
  // sent yet. The common case is `localhost` with a receiver that listens on only one of its two.
  private async post(request: SendRequest, reader: AnswerReader, cutoff: Cutoff): Promise<void> {
    for (let tries = 1; ; tries++) {
      const resolved = this.options.resolver.resolve(request.url);
      const target = resolved instanceof Promise ? await cutoff.race(resolved) : resolved;
      try {
        return await this.postTo(target, request, reader, cutoff);
      } catch (thrown) {
        const another = cutoff.cause !== "aborted" && this.options.resolver.avoid(target);
        if (!another || !neverConnected(thrown) || tries === MAX_TRIES) throw thrown;
      }
    }
  }

  private async postTo(
    target: ResolvedTarget,
    request: SendRequest,
    reader: AnswerReader,
    cutoff: Cutoff,
  ): Promise<void> {
    const connection = this.idle.take(this.dialer.keyOf(target)) ?? (await this.dialer.dial(target, cutoff));
    cutoff.onCut(() => connection.destroy());
    if (request.mayStart?.() === false) {
      connection.destroy();
      throw new TargetError("aborted", "it is not to start any more");
    }
    reader.isRelayed = this.dialer.isRelayed(target);
    await connection.send(this.bytesOf(target, request), reader);
    if (connection.isFreeAfter(reader)) this.idle.put(connection, reader.idleTimeoutS);
    else connection.destroy();
  }

  private bytesOf(target: ResolvedTarget, { headers, body }: SendRequest): Buffer {
    const { userAgent, egressProxy } = this.options;
    const isRelayed = this.dialer.isRelayed(target);
    return postBytes({
      target: isRelayed ? `http://${target.authority}${target.path}` : target.path,
      host: target.host,
      userAgent,
      headers,
      proxyAuthorization: isRelayed ? (egressProxy?.authorization ?? null) : null,
      body,
    });
  }

  private get isProxied(): boolean {
    return Boolean(this.options.egressProxy);
  }
}

function notSent(error: ExchangeError): Exchange {
  return { status: 0, error, durationMs: 0, responseBody: null, retryAfterMs: null };
}
