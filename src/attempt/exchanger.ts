import { Budget } from "../runtime/budget";
import type { Clock } from "../runtime/clock";
import type { Claimant } from "./admission";
import type { Connected, Sent } from "./connections/connection";
import { Connector } from "./connections/connector";
import type { EgressProxy } from "./connections/egress-proxy";
import { ReceiverTls, type TlsRules } from "./connections/tls";
import { Deadline, SharedTimers } from "./deadline";
import type { ErrorDetail } from "./error-detail";
import {
  type Exchange,
  type ExchangeError,
  type ExchangeResult,
  ExchangeTrace,
  type SendRequest,
} from "./exchange";
import { type Failure, failureOf, ProxyFailure, shortageIn } from "./failure";
import { AnswerReader, MAX_INPUT_BYTES } from "./http1/answer-reader";
import { parseRetryAfter } from "./http1/retry-after";
import type { TargetResolver } from "./targets/resolver";
import { postBytes } from "./webhook-request";

/** Errors that another address might have avoided. */
const OF_ADDRESSES: ReadonlySet<ExchangeError> = new Set([
  "blocked_address",
  "connection_refused",
  "connection_failed",
  "timeout",
]);

const UNSENT: ExchangeResult = { kind: "unsent" };

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
    const { resolver, clock, egressProxy, tls: rules = {} } = options;
    this.deadlines = new SharedTimers(clock);
    const tls = new ReceiverTls(rules, clock, this.buffers);
    this.connector = new Connector({ resolver, tls, egressProxy, clock });
  }

  /** Posts a request and reads the answer; again on a fresh connection if an idle one was dead. Never rejects. */
  async exchange(request: SendRequest<string>, claimant: Claimant): Promise<ExchangeResult> {
    const trace = new ExchangeTrace(this.options.clock);
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const deadline = new Deadline();
    this.deadlines.set(deadline, trace.began, timeoutMs);
    let sent = await this.post(request, claimant, deadline, trace, false);
    if (sent && isOfStaleConnection(sent) && !deadline.hasPassed)
      sent = await this.post(request, claimant, deadline, trace, true);
    this.deadlines.clear(deadline, timeoutMs);
    return sent === null ? UNSENT : this.resultOf(sent, request.url, trace, deadline.hasPassed);
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.connector.close();
  }

  /** Returns null if the guard said no. Never rejects. */
  private async post(
    request: SendRequest<string>,
    claimant: Claimant,
    deadline: Deadline,
    trace: ExchangeTrace,
    wantsFresh: boolean,
  ): Promise<Sent | null> {
    const answer = new AnswerReader(this.buffers, this.options.responseBodyBytes, () => trace.answering());
    trace.request = null;
    let connected: Connected | null = null;
    try {
      connected = await this.connector.acquire(request.url, claimant, deadline, trace, wantsFresh);
      const sent = await this.postOn(connected, request, answer, deadline, trace);
      if (sent) this.connector.release(connected, claimant.account, sent);
      return sent;
    } catch (error) {
      connected?.connection.destroy();
      return { answer, isWritten: false, error, isReused: false };
    } finally {
      answer.release();
    }
  }

  private async postOn(
    { target, connection }: Connected,
    request: SendRequest<string>,
    answer: AnswerReader,
    deadline: Deadline,
    trace: ExchangeTrace,
  ): Promise<Sent | null> {
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
    trace.sending({ host, userAgent, headers, contentLength });
    return connection.send(bytes, answer, onWritten);
  }

  private resultOf(sent: Sent, url: string, trace: ExchangeTrace, isCut: boolean): ExchangeResult {
    const { answer, isWritten, error } = sent;
    const { status, head } = answer;
    const shortage = error === null || status > 0 ? null : shortageIn(error);
    if (shortage !== null) return { kind: "own_failure", shortage };
    const exchange: Exchange = {
      acknowledged: answer.isSuccess && isWritten,
      status,
      ...(error === null ? COMPLETE : this.faultIn(sent, url, trace, isCut)),
      location: head?.location ?? null,
      startedAt: trace.startedAt,
      durationMs: trace.durationMs,
      responseBody: head && answer.bodyText,
      responseHeaders: head?.lines ?? null,
      address: trace.address,
      timing: trace.timing,
      request: trace.request,
      retryAfterMs: head?.retryAfter ? this.waitIn(head.retryAfter) : null,
      instruction: head?.instruction ?? null,
    };
    return { kind: "exchanged", exchange };
  }

  /** Returns the milliseconds of a Retry-After header. */
  private waitIn(retryAfter: string): number | null {
    return parseRetryAfter(retryAfter, this.options.clock.now());
  }

  /** Returns why the answer is incomplete. */
  private faultIn(
    { answer, isWritten, error }: Sent,
    url: string,
    trace: ExchangeTrace,
    isCut: boolean,
  ): Fault {
    const isTimeout = isCut && !(error instanceof ProxyFailure);
    const detail = trace.request === null ? "not_connected" : "no_response";
    const failure: Failure = isTimeout ? { error: "timeout", detail } : failureOf(error);
    if (answer.status === 0) return { error: failure.error, errorDetail: this.detailOf(failure, url) };
    const isTaken = isWritten || !answer.isSuccess;
    return { error: failure.error, errorDetail: isTaken ? detailOfAnswer(failure) : "request_not_taken" };
  }

  /** Returns why no answer came, and the kinds of addresses that are not permitted. */
  private detailOf({ error, detail }: Failure, url: string): string | null {
    const kinds = OF_ADDRESSES.has(error) ? this.options.resolver.refusedKinds(url) : [];
    const refused = kinds.length > 0 ? [`not permitted: ${kinds.join(", ")}`] : [];
    return [...(detail === null ? [] : [detail]), ...refused].join("; ") || null;
  }
}

type Fault = Pick<Exchange, "error" | "errorDetail">;

const COMPLETE: Fault = { error: null, errorDetail: null };

/**
 * True if an idle connection was dead: it ended before the first byte of an answer, or brought bytes that begin no answer.
 * As a rule the receiver closed it while the request was under way, and has not read the request.
 */
function isOfStaleConnection({ isReused, answer, error }: Sent): boolean {
  return isReused && error !== null && !answer.hasBegun && shortageIn(error) === null;
}

/** Returns what went wrong after the head of an answer. */
function detailOfAnswer({ error, detail }: Failure): string | null {
  const isCutShort = error === "timeout" || error === "connection_reset";
  return isCutShort ? ("answer_cut_short" satisfies ErrorDetail) : detail;
}
