import type { Clock } from "../runtime/clock";
import { AddressRace, type Dialled } from "./address-race";
import { AnswerReader } from "./answer-reader";
import { type Body, MAX_BODY_BYTES, weightOf } from "./body";
import type { Clearance } from "./clearance";
import type { Connection, Sent } from "./connection";
import { Cutoff } from "./cutoff";
import { Deadlines } from "./deadlines";
import { Dialer } from "./dialer";
import type { EgressProxy } from "./egress-proxy";
import type { ErrorDetail } from "./error-detail";
import type { Exchange, ExchangeError } from "./exchange";
import { type Failure, failureOf, ProxyFailure } from "./failure";
import { HeadRoom } from "./head-room";
import { IdleConnections, type Use } from "./idle-connections";
import { Places, type Visitor } from "./places";
import { postBytes } from "./post";
import type { TlsRules } from "./receiver-tls";
import type { TargetResolver } from "./resolver";
import { parseRetryAfter } from "./retry-after";
import type { ResolvedTarget } from "./route";
import { Standings } from "./standings";

/** The errors that another address might have spared. */
const OF_ADDRESSES: ReadonlySet<ExchangeError> = new Set([
  "blocked_address",
  "connection_refused",
  "connection_failed",
  "timeout",
]);

/** Most addresses of a name that one exchange tries to connect to. */
export const MAX_TRIES = 3;

export type SenderOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther" | "refusedKinds">;
  /** Deadline of an exchange whose request has none of its own; look-up, connection and body included. */
  timeoutMs: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  /** Most exchanges under way at once; more wait for their turn, see `Places`. */
  maxInFlight: number;
  tls?: TlsRules;
  /** What every request goes through; null is nothing. */
  egressProxy: EgressProxy | null;
};

export type SendRequest = {
  /** Whose it is, which decides who has to wait while many are under way. `isFailing`: its last attempt failed. */
  owner: Readonly<{ account: string; endpoint: string; isFailing: boolean }>;
  url: string;
  /**
   * Names in lower case; `host` and `user-agent` are set here. Asked for when the request leaves, which may be long after
   * it was given: receivers refuse signatures that are old.
   */
  headers(body: string): Record<string, string>;
  body: Body;
  /** Null: the sender's. */
  timeoutMs: number | null;
  /** When it says no, nothing is sent. */
  clearance: Clearance;
};

/** A request whose body is at hand. Of a heavy one, which is let go of, it is told when none of it is here any more. */
type Outgoing = SendRequest & { body: string; onSent?(): void };

type Sized = Visitor & Readonly<{ bytes: number }>;

/** Sends requests to receivers nobody vouches for. */
export class Sender {
  private readonly places: Places;
  /** In bytes. */
  private readonly bodies = new Places<Sized>(MAX_BODY_BYTES, ({ bytes }) => bytes);
  private readonly standings = new Standings();
  private readonly deadlines: Deadlines;
  private readonly dialer: Dialer;
  private readonly idle: IdleConnections;
  private readonly headRoom = new HeadRoom();

  constructor(private readonly options: SenderOptions) {
    const { maxInFlight, clock, egressProxy, tls = {} } = options;
    this.places = new Places(maxInFlight);
    this.deadlines = new Deadlines(clock);
    this.dialer = new Dialer({ egressProxy, tls, clock, room: this.headRoom });
    this.idle = new IdleConnections(clock);
  }

  /** Exchanges under way. */
  get inFlight(): number {
    return this.places.occupied;
  }

  /** Requests waiting for a place, or for room for their body. */
  get queued(): number {
    return this.places.queued + this.bodies.queued;
  }

  /**
   * POSTs once, follows nothing, retries nothing. Never rejects: the exchange tells how it went. Null: it was not to be sent
   * any more, or its body could not be read, and nothing was.
   */
  send(request: SendRequest): Promise<Exchange | null> {
    const { account, endpoint, isFailing } = request.owner;
    const visitor = { account, standing: this.standings.of(endpoint, isFailing) };
    return isLight(request) ? this.sendInTurn(request, visitor) : this.sendHeavy(request, visitor);
  }

  /** Ends the wait of those that need no place any more: who drains a partition has not to wait for their turns. */
  dropUnwanted(): void {
    this.bodies.dropUnwanted();
    this.places.dropUnwanted();
  }

  /** Closes idle connections; exchanges under way go on. */
  close(): void {
    this.idle.close();
  }

  /** Has its part of `bodies` from before it is read until the kernel has taken it over. */
  private async sendHeavy(request: SendRequest, visitor: Visitor): Promise<Exchange | null> {
    const sized = { ...visitor, bytes: weightOf(request.body) };
    if (!this.bodies.tryEnter(sized) && !(await this.bodies.enter(sized, () => request.clearance.isWanted())))
      return null;
    let isInside = true;
    const leave = () => {
      if (isInside) this.bodies.leave(sized);
      isInside = false;
    };
    try {
      const body = typeof request.body === "string" ? request.body : await request.body.read();
      if (body === null) return null;
      return await this.sendInTurn({ ...request, body, onSent: leave }, visitor);
    } finally {
      leave();
    }
  }

  private async sendInTurn(request: Outgoing, visitor: Visitor): Promise<Exchange | null> {
    if (!this.places.tryEnter(visitor) && !(await this.enterLate(visitor, request.clearance))) return null;
    try {
      const exchange = await this.exchange(request, visitor);
      if (exchange) this.standings.note(request.owner.endpoint, exchange);
      return exchange;
    } finally {
      this.places.leave(visitor);
    }
  }

  // Apart from its caller, so that those who enter at once, as nearly all do, have nothing captured for it.
  private enterLate(visitor: Visitor, clearance: Clearance): Promise<boolean> {
    return this.places.enter(visitor, () => clearance.isWanted());
  }

  private async exchange(request: Outgoing, visitor: Visitor): Promise<Exchange | null> {
    const { clock } = this.options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const cutoff = new Cutoff();
    this.deadlines.set(cutoff, began, timeoutMs);
    const reader = new AnswerReader(this.headRoom);
    let sent: Sent | null;
    let isConnected = true;
    try {
      sent = await this.post(request, visitor, reader, cutoff);
    } catch (thrown) {
      isConnected = false;
      sent = { isWritten: false, flaw: thrown };
    } finally {
      this.deadlines.clear(cutoff, timeoutMs);
      reader.release();
    }
    if (sent === null) return null;
    const failure = failureIn(sent, cutoff, isConnected);
    const { status } = reader;
    return {
      acknowledged: reader.isSuccess && sent.isWritten,
      status,
      error: failure?.error ?? null,
      errorDetail:
        failure && (status > 0 ? whatIsMissing(failure, reader, sent) : this.detailOf(failure, request.url)),
      location: reader.location,
      startedAt,
      durationMs: Math.round(clock.monotonic() - began),
      responseBody: status > 0 ? reader.bodyText : null,
      retryAfterMs: parseRetryAfter(reader.retryAfter, clock.now()),
    };
  }

  /** Why no answer came, and the kinds of the addresses that the connection could not go to. */
  private detailOf({ error, detail }: Failure, url: string): string | null {
    const kinds = OF_ADDRESSES.has(error) ? this.options.resolver.refusedKinds(url) : [];
    const refused = kinds.length > 0 ? [`not permitted: ${kinds.join(", ")}`] : [];
    return [...(detail === null ? [] : [detail]), ...refused].join("; ") || null;
  }

  /** Null: it was not to start any more, and nothing was sent. */
  private async post(
    request: Outgoing,
    visitor: Visitor,
    reader: AnswerReader,
    cutoff: Cutoff,
  ): Promise<Sent | null> {
    const { target, connection } = await this.connect(request.url, visitor, cutoff);
    cutoff.onCut(() => connection.destroy());
    if (!request.clearance.mayStart()) {
      connection.destroy();
      return null;
    }
    cutoff.onCut(() => connection.giveUp());
    const bytes = this.bytesOf(target, request);
    // Whoever waits for the answer holds on to the request.
    if (request.onSent) request.body = "";
    const sent = await connection.send(bytes, reader, request.onSent);
    this.part(connection, { account: visitor.account, target }, reader, sent);
    return sent;
  }

  /** Keeps a connection for the next request, or ends it: gently where the receiver has taken the delivery. */
  private part(connection: Connection, use: Use, reader: AnswerReader, { isWritten }: Sent): void {
    if (connection.isLost) return;
    if (connection.isFreeAfter(reader)) this.idle.put(connection, use, reader.idleTimeoutS);
    else if (reader.isSuccess && isWritten) this.idle.end(connection, use);
    else connection.destroy();
  }

  // A name with several addresses gets another try when there was no connection to the first: nothing was sent yet. The
  // common case is `localhost` with a receiver that listens on only one of its two.
  private async connect(url: string, visitor: Visitor, cutoff: Cutoff): Promise<Dialled> {
    const { resolver, clock } = this.options;
    const resolved = resolver.resolve(url, visitor);
    const target = resolved instanceof Promise ? await cutoff.race(resolved) : resolved;
    const idle = this.idle.take({ account: visitor.account, target });
    if (idle) return { target, connection: idle };
    if (!resolver.hasOther(target, [target.address])) {
      return { target, connection: await this.dialer.dial(target, visitor, cutoff) };
    }
    const race = new AddressRace({
      clock,
      next: (tried) => this.nextOf(target, url, visitor, tried),
      dial: (each, stop) => this.dialer.dial(each, visitor, stop),
      avoid: (each) => resolver.avoid(each),
    });
    return race.run(target, cutoff);
  }

  private nextOf(
    target: ResolvedTarget,
    url: string,
    visitor: Visitor,
    tried: readonly string[],
  ): ResolvedTarget | null {
    const { resolver } = this.options;
    if (tried.length === MAX_TRIES || !resolver.hasOther(target, tried)) return null;
    const next = resolver.resolve(url, visitor, tried);
    // What is known of the name is fresh, since it has another address.
    return next instanceof Promise ? null : next;
  }

  private bytesOf({ path, host }: ResolvedTarget, { headers, body }: Outgoing): Buffer {
    const { userAgent } = this.options;
    return postBytes({ path, host, userAgent, headers: headers(body), body });
  }
}

function failureIn({ flaw }: Sent, cutoff: Cutoff, isConnected: boolean): Failure | null {
  if (flaw === null) return null;
  if (!cutoff.isCut || flaw instanceof ProxyFailure) return failureOf(flaw);
  return { error: "timeout", detail: isConnected ? "no_response" : "not_connected" };
}

/** What an exchange lacks whose answer has a head. */
function whatIsMissing(
  { error }: Failure,
  { isSuccess }: AnswerReader,
  { isWritten }: Sent,
): ErrorDetail | null {
  if (isSuccess && !isWritten) return "request_not_taken";
  return error === "timeout" || error === "connection_reset" ? "answer_cut_short" : null;
}

function isLight(request: SendRequest): request is Outgoing {
  return weightOf(request.body) === 0;
}
