import type { Clock } from "../runtime/clock";
import { AddressRace, type Dialled } from "./address-race";
import { AnswerReader } from "./answer-reader";
import type { Clearance } from "./clearance";
import { Cutoff } from "./cutoff";
import { Deadlines } from "./deadlines";
import { Dialer } from "./dialer";
import type { EgressProxy } from "./egress-proxy";
import type { Exchange, ExchangeError } from "./exchange";
import { failureOf } from "./failure";
import { HeadRoom } from "./head-room";
import { IdleConnections } from "./idle-connections";
import { Places, type Visitor } from "./places";
import { postBytes } from "./post";
import type { TargetResolver } from "./resolver";
import { parseRetryAfter } from "./retry-after";
import type { ResolvedTarget } from "./route";
import { Standings } from "./standings";

/** Most addresses of a name that one exchange tries to connect to. */
export const MAX_TRIES = 3;

export type SenderOptions = {
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther">;
  /** Deadline of an exchange whose request has none of its own; look-up, connection and body included. */
  timeoutMs: number;
  /** Value of the User-Agent header. */
  userAgent: string;
  clock: Clock;
  /** Most exchanges under way at once; more wait for their turn, see `Places`. */
  maxInFlight: number;
  /** Authorities to trust in place of the usual ones, PEM. */
  certificateAuthorities?: string;
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
  headers(): Record<string, string>;
  body: string;
  /** Null: the sender's. */
  timeoutMs: number | null;
  /** When it says no, nothing is sent. */
  clearance: Clearance;
};

/** Sends requests to receivers nobody vouches for. */
export class Sender {
  private readonly places: Places;
  private readonly standings = new Standings();
  private readonly deadlines: Deadlines;
  private readonly dialer: Dialer;
  private readonly idle: IdleConnections;
  private readonly headRoom = new HeadRoom();

  constructor(private readonly options: SenderOptions) {
    const { maxInFlight, clock, egressProxy, certificateAuthorities } = options;
    this.places = new Places(maxInFlight);
    this.deadlines = new Deadlines(clock);
    this.dialer = new Dialer({ egressProxy, certificateAuthorities, clock, room: this.headRoom });
    this.idle = new IdleConnections(clock);
  }

  /** Exchanges under way. */
  get inFlight(): number {
    return this.places.occupied;
  }

  /** Requests waiting for a place. */
  get queued(): number {
    return this.places.queued;
  }

  /**
   * POSTs once, follows nothing, retries nothing. Never rejects: the exchange tells how it went. Null: it was not to be sent
   * any more, and nothing was.
   */
  async send(request: SendRequest): Promise<Exchange | null> {
    const { account, endpoint, isFailing } = request.owner;
    const visitor = { account, standing: this.standings.of(endpoint, isFailing) };
    if (!this.places.tryEnter(visitor) && !(await this.enterLate(visitor, request.clearance))) return null;
    try {
      const exchange = await this.exchange(request, visitor);
      if (exchange) this.standings.note(endpoint, exchange);
      return exchange;
    } finally {
      this.places.leave(visitor);
    }
  }

  /** Ends the wait of those that need no place any more: who drains a partition has not to wait for their turns. */
  dropUnwanted(): void {
    this.places.dropUnwanted();
  }

  /** Closes idle connections; exchanges under way go on. */
  close(): void {
    this.idle.close();
  }

  // Apart from `send`, so that those who enter at once, as nearly all do, have nothing captured for it.
  private enterLate(visitor: Visitor, clearance: Clearance): Promise<boolean> {
    return this.places.enter(visitor, () => clearance.isWanted());
  }

  private async exchange(request: SendRequest, visitor: Visitor): Promise<Exchange | null> {
    const { clock } = this.options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const cutoff = new Cutoff();
    this.deadlines.set(cutoff, began, timeoutMs);
    const reader = new AnswerReader(this.headRoom);
    let error: ExchangeError | null = null;
    try {
      if (!(await this.post(request, visitor, reader, cutoff))) return null;
    } catch (thrown) {
      error = cutoff.isCut ? "timeout" : failureOf(thrown, this.isProxied);
    } finally {
      this.deadlines.clear(cutoff, timeoutMs);
      reader.release();
    }
    return {
      status: reader.status,
      error,
      startedAt,
      durationMs: Math.round(clock.monotonic() - began),
      responseBody: error === null ? reader.bodyText : null,
      retryAfterMs: parseRetryAfter(reader.retryAfter, clock.now()),
    };
  }

  /** False: it was not to start any more, and nothing was sent. */
  private async post(
    request: SendRequest,
    visitor: Visitor,
    reader: AnswerReader,
    cutoff: Cutoff,
  ): Promise<boolean> {
    const { target, connection } = await this.connect(request.url, visitor, cutoff);
    cutoff.onCut(() => connection.destroy());
    if (!request.clearance.mayStart()) {
      connection.destroy();
      return false;
    }
    reader.isRelayed = this.dialer.isRelayed(target);
    await connection.send(this.bytesOf(target, request), reader);
    if (connection.isFreeAfter(reader)) this.idle.put(connection, visitor.account, reader.idleTimeoutS);
    else connection.destroy();
    return true;
  }

  // A name with several addresses gets another try when there was no connection to the first: nothing was sent yet. The
  // common case is `localhost` with a receiver that listens on only one of its two.
  private async connect(url: string, visitor: Visitor, cutoff: Cutoff): Promise<Dialled> {
    const { resolver, clock } = this.options;
    const resolved = resolver.resolve(url, visitor);
    const target = resolved instanceof Promise ? await cutoff.race(resolved) : resolved;
    const idle = this.idle.take(this.dialer.keyOf(target));
    if (idle) return { target, connection: idle };
    // By way of a proxy, it is the proxy that there is no connection to.
    if (this.isProxied || !resolver.hasOther(target, [target.address])) {
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

  private bytesOf(target: ResolvedTarget, { headers, body }: SendRequest): Buffer {
    const { userAgent, egressProxy } = this.options;
    const isRelayed = this.dialer.isRelayed(target);
    return postBytes({
      target: isRelayed ? `http://${target.authority}${target.path}` : target.path,
      host: target.host,
      userAgent,
      headers: headers(),
      proxyAuthorization: isRelayed ? (egressProxy?.authorization ?? null) : null,
      body,
    });
  }

  private get isProxied(): boolean {
    return this.options.egressProxy !== null;
  }
}
