import { Budget } from "../runtime/budget";
import type { Clock } from "../runtime/clock";
import type { Claimant } from "./admission/admission";
import { MAX_INPUT_BYTES } from "./admission/memory";
import type { Connected } from "./connections/address-race";
import type { Sent } from "./connections/connection";
import { Connector } from "./connections/connector";
import { Dialer } from "./connections/dialer";
import type { EgressProxy } from "./connections/egress-proxy";
import { ReceiverTls, type TlsRules } from "./connections/tls";
import { Deadline, SharedTimers } from "./deadline";
import type { ErrorDetail } from "./error-detail";
import {
  type Exchange,
  type ExchangeError,
  ExchangeTrace,
  type SendRequest,
  type SendResult,
  type SentRequest,
} from "./exchange";
import { type Failure, failureOf, ProxyFailure } from "./failure";
import { AnswerReader } from "./http1/answer-reader";
import { parseRetryAfter } from "./http1/retry-after";
import { OwnFailure, orOwnFailure, type Shortage } from "./own-failure";
import type { TargetResolver } from "./targets/resolver";
import { postBytes } from "./webhook-request";

/** Errors that another address might have avoided. */
const OF_ADDRESSES: ReadonlySet<ExchangeError> = new Set([
  "blocked_address",
  "connection_refused",
  "connection_failed",
  "timeout",
]);

export type ExchangerOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther" | "refusedKinds">;
  /** Deadline of requests that set none. Covers look-up, connection and body. */
  timeoutMs: number;
  /** Bytes of an answer's body that are read and kept. */
  responseBodyBytes: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  tls?: TlsRules;
  /** The proxy of every request; null: none. */
  egressProxy: EgressProxy | null;
};

/** Makes exchanges with untrusted receivers: resolve, connect, guard, write, read, release. */
export class Exchanger {
  private readonly deadlines: SharedTimers;
  private readonly connector: Connector;
  private readonly buffers = new Budget(MAX_INPUT_BYTES);

  constructor(private readonly options: ExchangerOptions) {
    const { resolver, clock, egressProxy, tls = {} } = options;
    this.deadlines = new SharedTimers(clock);
    const dialer = new Dialer(egressProxy, new ReceiverTls(tls, clock, this.buffers));
    this.connector = new Connector({ resolver, dialer, clock });
  }

  /** Posts a request and reads the answer. Never rejects. */
  async exchange(request: SendRequest<string>, claimant: Claimant): Promise<SendResult> {
    const { clock } = this.options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const deadline = new Deadline();
    this.deadlines.set(deadline, began, timeoutMs);
    const posted = await this.post(request, claimant, deadline);
    this.deadlines.clear(deadline, timeoutMs);
    if (posted === null) return { kind: "unsent" };
    const shortage = shortageOf(posted);
    if (shortage !== null) return { kind: "own_failure", shortage };
    const { reader, trace } = posted;
    const { status, head } = reader;
    const failure = failureIn(posted, deadline.hasPassed);
    const exchange: Exchange = {
      acknowledged: reader.isSuccess && posted.isWritten,
      status,
      error: failure?.error ?? null,
      errorDetail:
        failure && (status > 0 ? detailOfAnswer(posted, failure) : this.detailOf(failure, request.url)),
      location: head?.location ?? null,
      startedAt,
      durationMs: Math.round(clock.monotonic() - began),
      responseBody: head && reader.bodyText,
      responseHeaders: head?.lines ?? null,
      address: trace.address,
      timing: trace.timing,
      request: posted.request,
      retryAfterMs: parseRetryAfter(head?.retryAfter ?? null, clock.now()),
      instruction: head?.instruction ?? null,
    };
    return { kind: "exchanged", exchange };
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.connector.close();
  }

  /** Posts, and posts again on a fresh connection if an idle one was dead. Returns null if the guard said no. */
  private async post(
    request: SendRequest<string>,
    claimant: Claimant,
    deadline: Deadline,
  ): Promise<Posted | null> {
    const first = await this.postOnce(request, claimant, deadline, false);
    if (first === null || deadline.hasPassed || !isOfStaleConnection(first)) return first;
    return this.postOnce(request, claimant, deadline, true);
  }

  private async postOnce(
    request: SendRequest<string>,
    claimant: Claimant,
    deadline: Deadline,
    wantsFresh: boolean,
  ): Promise<Posted | null> {
    const trace = new ExchangeTrace(this.options.clock);
    const reader = new AnswerReader(this.buffers, this.options.responseBodyBytes, () => trace.answering());
    let connected: Connected | null = null;
    try {
      connected = await this.connector.acquire(request.url, claimant, deadline, trace, wantsFresh);
      const posted = await this.postOn(connected, request, reader, deadline, trace);
      if (posted !== null) this.connector.release(connected, claimant.account, reader, posted);
      return posted;
    } catch (error) {
      connected?.connection.destroy();
      return { reader, trace, isWritten: false, error, request: null, connection: "none" };
    } finally {
      reader.release();
    }
  }

  private async postOn(
    { target, connection }: Connected,
    request: SendRequest<string>,
    reader: AnswerReader,
    deadline: Deadline,
    trace: ExchangeTrace,
  ): Promise<Posted | null> {
    deadline.onPassed(() => connection.giveUp());
    if (!request.guard.tryStart()) {
      connection.destroy();
      return null;
    }
    const { userAgent } = this.options;
    const { path, host } = target;
    const headers = request.headers(request.body);
    const { bytes, contentLength } = postBytes({ path, host, userAgent, headers, body: request.body });
    // Drops the body here, since callers keep the request. On a reused connection it may have to be sent again.
    const onWritten = connection.isReused ? undefined : request.onSent;
    if (onWritten) request.body = "";
    trace.sending();
    const { isWritten, error } = await connection.send(bytes, reader, onWritten);
    return {
      reader,
      trace,
      isWritten,
      error,
      request: { host, userAgent, headers, contentLength },
      connection: connection.isReused ? "reused" : "fresh",
    };
  }

  /** Returns why no answer came, and the kinds of addresses that are not permitted. */
  private detailOf({ error, detail }: Failure, url: string): string | null {
    const kinds = OF_ADDRESSES.has(error) ? this.options.resolver.refusedKinds(url) : [];
    const refused = kinds.length > 0 ? [`not permitted: ${kinds.join(", ")}`] : [];
    return [...(detail === null ? [] : [detail]), ...refused].join("; ") || null;
  }
}

/** The end of one POST, with or without a connection. */
type Posted = Sent &
  Readonly<{
    reader: AnswerReader;
    trace: ExchangeTrace;
    /** Null if nothing was written. */
    request: SentRequest | null;
    /** `reused`: the connection was idle before. `none`: there was none. */
    connection: "none" | "fresh" | "reused";
  }>;

/**
 * True if an idle connection was dead: it ended before the first byte of an answer, or brought bytes that begin no answer.
 * As a rule the receiver closed it while the request was under way, and has not read the request.
 */
function isOfStaleConnection({ connection, reader, error }: Posted): boolean {
  return connection === "reused" && error !== null && !reader.hasBegun && shortageIn(error) === null;
}

/** Returns the resource that this machine lacked, if that is why there is no answer. */
function shortageOf({ reader, error }: Posted): Shortage | null {
  return reader.status > 0 ? null : shortageIn(error);
}

function shortageIn(error: unknown): Shortage | null {
  const known = error === null ? null : orOwnFailure(error);
  return known instanceof OwnFailure ? known.shortage : null;
}

/** Returns why the answer is incomplete; null if it is complete. */
function failureIn({ error, connection }: Posted, isCut: boolean): Failure | null {
  if (error === null) return null;
  if (!isCut || error instanceof ProxyFailure) return failureOf(error);
  return { error: "timeout", detail: connection === "none" ? "not_connected" : "no_response" };
}

/** Returns which part of an exchange is missing after the head of its answer. */
function detailOfAnswer({ reader, isWritten }: Posted, { error }: Failure): ErrorDetail | null {
  if (reader.isSuccess && !isWritten) return "request_not_taken";
  return error === "timeout" || error === "connection_reset" ? "answer_cut_short" : null;
}
