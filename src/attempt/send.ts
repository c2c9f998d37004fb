import type { Clock } from "../runtime/clock";
import { Admission, type Claimant, ReceiverSpeeds } from "./admission/admission";
import { type Body, BufferBudget, MAX_BODY_BYTES, weightOf } from "./admission/memory";
import type { Connected } from "./connections/address-race";
import { Connector } from "./connections/connector";
import { Dialer } from "./connections/dialer";
import type { EgressProxy } from "./connections/egress-proxy";
import { ReceiverTls, type TlsRules } from "./connections/tls";
import { Deadline, SharedTimers } from "./deadline";
import { type Exchange, type ExchangeError, ExchangeTrace } from "./exchange";
import type { Failure } from "./failure";
import { AnswerReader } from "./http1/answer-reader";
import { parseRetryAfter } from "./http1/retry-after";
import type { Shortage } from "./own-failure";
import { detailOfAnswer, failureIn, isOfStaleConnection, type Posted, shortageOf } from "./posted";
import type { TargetResolver } from "./targets/resolver";
import { postBytes } from "./webhook-request";

/** Errors that another address might have avoided. */
const OF_ADDRESSES: ReadonlySet<ExchangeError> = new Set([
  "blocked_address",
  "connection_refused",
  "connection_failed",
  "timeout",
]);

export type SenderOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther" | "refusedKinds">;
  /** Deadline of requests that set none. Covers look-up, connection and body. */
  timeoutMs: number;
  /** Bytes of an answer's body that are read and kept. */
  responseBodyBytes: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  /** Most exchanges at a time. Other requests wait, see `Admission`. */
  maxInFlight: number;
  tls?: TlsRules;
  /** The proxy of every request; null: none. */
  egressProxy: EgressProxy | null;
};

export type SendRequest = {
  /** The order of waiting requests depends on it. `isFailing`: the endpoint's last attempt failed. */
  owner: Readonly<{ account: string; endpoint: string; isFailing: boolean }>;
  url: string;
  /**
   * Makes the headers, with names in lower case, when the request is sent. That may be long after the call of `send`, and
   * receivers refuse old signatures. `Sender` adds `host` and `user-agent`.
   */
  headers(body: string): Record<string, string>;
  body: Body;
  /** Null: the deadline of the `Sender`. */
  timeoutMs: number | null;
  guard: SendGuard;
};

/** A request whose body is in memory. `onSent` is called once the kernel has taken a large body. */
type Outgoing = SendRequest & { body: string; onSent?(): void };

/** The result of a `SendRequest`. */
export type SendResult =
  | Readonly<{ kind: "exchanged"; exchange: Exchange }>
  /** Nothing was sent, because the guard said no or the body could not be read. */
  | Readonly<{ kind: "unsent" }>
  /** This machine lacks a resource for a connection. The receiver is not at fault. */
  | Readonly<{ kind: "own_failure"; shortage: Shortage }>;

const UNSENT: SendResult = { kind: "unsent" };

type Sized = Claimant & Readonly<{ bytes: number }>;

/** Sends requests to untrusted receivers: admit, resolve, connect, guard, write, read, release. */
export class Sender {
  private readonly slots: Admission;
  /** Admits large bodies into memory. A slot is a byte. */
  private readonly bodyMemory = new Admission<Sized>(MAX_BODY_BYTES, ({ bytes }) => bytes);
  private readonly speeds = new ReceiverSpeeds();
  private readonly deadlines: SharedTimers;
  private readonly connector: Connector;
  private readonly buffers = new BufferBudget();

  constructor(private readonly options: SenderOptions) {
    const { resolver, maxInFlight, clock, egressProxy, tls = {} } = options;
    this.slots = new Admission(maxInFlight);
    this.deadlines = new SharedTimers(clock);
    const dialer = new Dialer(egressProxy, new ReceiverTls(tls, clock, this.buffers));
    this.connector = new Connector({ resolver, dialer, clock });
  }

  /** Number of exchanges under way. */
  get inFlight(): number {
    return this.slots.occupied;
  }

  /** Number of requests that wait for a slot, or for memory for their body. */
  get queued(): number {
    return this.slots.queued + this.bodyMemory.queued;
  }

  /** Sends a POST. Follows no redirect, and repeats no request that a receiver may have answered. Never rejects. */
  send(request: SendRequest): Promise<SendResult> {
    const { account, endpoint, isFailing } = request.owner;
    const claimant = { account, speed: this.speeds.of(endpoint, isFailing) };
    return isLight(request) ? this.sendInTurn(request, claimant) : this.sendHeavy(request, claimant);
  }

  /** Drops waiting requests whose guard says no, so that a partition drains without them. */
  dropUnwanted(): void {
    this.bodyMemory.dropUnwanted();
    this.slots.dropUnwanted();
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.connector.close();
  }

  /** Reserves memory for a large body, from before it is read until the kernel has taken it. */
  private async sendHeavy(request: SendRequest, claimant: Claimant): Promise<SendResult> {
    const sized = { ...claimant, bytes: weightOf(request.body) };
    if (
      !this.bodyMemory.tryEnter(sized) &&
      !(await this.bodyMemory.enter(sized, () => request.guard.stillWanted()))
    )
      return UNSENT;
    let isInside = true;
    const leave = () => {
      if (isInside) this.bodyMemory.leave(sized);
      isInside = false;
    };
    try {
      const body = typeof request.body === "string" ? request.body : await request.body.read();
      if (body === null) return UNSENT;
      return await this.sendInTurn({ ...request, body, onSent: leave }, claimant);
    } finally {
      leave();
    }
  }

  private async sendInTurn(request: Outgoing, claimant: Claimant): Promise<SendResult> {
    if (!this.slots.tryEnter(claimant) && !(await this.enterLate(claimant, request.guard))) return UNSENT;
    try {
      return await this.exchange(request, claimant);
    } finally {
      this.slots.leave(claimant);
    }
  }

  // A function of its own: a request that enters at once, as nearly all do, allocates no closure.
  private enterLate(claimant: Claimant, guard: SendGuard): Promise<boolean> {
    return this.slots.enter(claimant, () => guard.stillWanted());
  }

  private async exchange(request: Outgoing, claimant: Claimant): Promise<SendResult> {
    const { clock } = this.options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const deadline = new Deadline();
    this.deadlines.set(deadline, began, timeoutMs);
    const posted = await this.post(request, claimant, deadline);
    this.deadlines.clear(deadline, timeoutMs);
    if (posted === null) return UNSENT;
    const shortage = shortageOf(posted);
    if (shortage !== null) return { kind: "own_failure", shortage };
    const { reader, trace } = posted;
    const { status, location, retryAfter, instruction } = reader;
    const failure = failureIn(posted, deadline.hasPassed);
    const exchange: Exchange = {
      acknowledged: reader.isSuccess && posted.isWritten,
      status,
      error: failure?.error ?? null,
      errorDetail:
        failure && (status > 0 ? detailOfAnswer(posted, failure) : this.detailOf(failure, request.url)),
      location,
      startedAt,
      durationMs: Math.round(clock.monotonic() - began),
      responseBody: status > 0 ? reader.bodyText : null,
      responseHeaders: reader.headerLines,
      address: trace.address,
      timing: trace.timing,
      request: posted.request,
      retryAfterMs: parseRetryAfter(retryAfter, clock.now()),
      instruction,
    };
    this.speeds.note(request.owner.endpoint, exchange);
    return { kind: "exchanged", exchange };
  }

  /** Returns why no answer came, and the kinds of addresses that are not permitted. */
  private detailOf({ error, detail }: Failure, url: string): string | null {
    const kinds = OF_ADDRESSES.has(error) ? this.options.resolver.refusedKinds(url) : [];
    const refused = kinds.length > 0 ? [`not permitted: ${kinds.join(", ")}`] : [];
    return [...(detail === null ? [] : [detail]), ...refused].join("; ") || null;
  }

  /** Posts, and posts again on a fresh connection if an idle one was dead. Returns null if the guard said no. */
  private async post(request: Outgoing, claimant: Claimant, deadline: Deadline): Promise<Posted | null> {
    const first = await this.postOnce(request, claimant, deadline, false);
    if (first === null || deadline.hasPassed || !isOfStaleConnection(first)) return first;
    return this.postOnce(request, claimant, deadline, true);
  }

  private async postOnce(
    request: Outgoing,
    claimant: Claimant,
    deadline: Deadline,
    wantsFresh: boolean,
  ): Promise<Posted | null> {
    const trace = new ExchangeTrace(this.options.clock);
    const reader = new AnswerReader(this.buffers, this.options.responseBodyBytes, () => trace.answering());
    try {
      const connected = await this.connector.acquire(request.url, claimant, deadline, trace, wantsFresh);
      const posted = await this.postOn(connected, request, reader, deadline, trace);
      if (posted !== null) this.connector.release(connected, claimant.account, reader, posted);
      return posted;
    } catch (error) {
      return { reader, trace, isWritten: false, error, request: null, connection: "none" };
    } finally {
      reader.release();
    }
  }

  private async postOn(
    { target, connection }: Connected,
    request: Outgoing,
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
}

function isLight(request: SendRequest): request is Outgoing {
  return weightOf(request.body) === 0;
}

/** Decides whether a request may still be sent. It may become unwanted between the call of `send` and the connection. */
export type SendGuard = {
  /** Called while the request waits for a slot. False ends the wait. */
  stillWanted(): boolean;
  /** Called when a connection is ready. After true the request is sent at once. */
  tryStart(): boolean;
};
