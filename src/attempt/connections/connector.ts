import type { Clock } from "../../runtime/clock";
import type { Claimant } from "../admission/admission";
import type { Deadline } from "../deadline";
import type { ExchangeTrace } from "../exchange";
import type { AnswerReader } from "../http1/answer-reader";
import type { TargetResolver } from "../targets/resolver";
import type { ResolvedTarget } from "../targets/route";
import { AddressRace, type Connected } from "./address-race";
import type { Sent } from "./connection";
import type { Dialer } from "./dialer";
import { IdleConnections } from "./idle-connections";

/** Most addresses of a name that one exchange tries to connect to. */
export const MAX_TRIES = 3;

export type ConnectorOptions = Readonly<{
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther">;
  dialer: Pick<Dialer, "dial">;
  clock: Clock;
}>;

/** Finds or makes the connection for a request, and keeps it for the next one. */
export class Connector {
  private readonly idle: IdleConnections;

  constructor(private readonly options: ConnectorOptions) {
    this.idle = new IdleConnections(options.clock);
  }

  /** Resolves the URL, then reuses an idle connection (unless `wantsFresh`) or dials. */
  async acquire(
    url: string,
    claimant: Claimant,
    deadline: Deadline,
    trace: ExchangeTrace,
    wantsFresh: boolean,
  ): Promise<Connected> {
    const { resolver, clock } = this.options;
    let began = clock.monotonic();
    const resolved = resolver.resolve(url, claimant);
    const target = resolved instanceof Promise ? await deadline.race(resolved) : resolved;
    if (resolved instanceof Promise) trace.lookedUp(began);
    trace.address = target.authority;
    const idle = wantsFresh ? null : this.idle.reuse({ account: claimant.account, target });
    if (idle) return { target, connection: idle };
    began = clock.monotonic();
    const connected = await this.dial(target, url, claimant, deadline);
    trace.address = connected.target.authority;
    trace.connected(began, connected.connection.tlsMs);
    return connected;
  }

  /** Keeps the connection for the next request, or closes it; after a delivery gently, see `Connection.end`. */
  release(
    { connection, target }: Connected,
    account: string,
    reader: AnswerReader,
    { isWritten }: Sent,
  ): void {
    const use = { account, target };
    if (connection.isLost) return;
    if (connection.isFreeAfter(reader)) this.idle.keep(connection, use, reader.head?.idleTimeoutS ?? null);
    else if (reader.isSuccess && isWritten) this.idle.end(connection, use);
    else connection.destroy();
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.idle.close();
  }

  // Tries another address of the name: without a connection nothing was sent. The common case is `localhost` with a
  // receiver on only one of its two addresses.
  private async dial(
    target: ResolvedTarget,
    url: string,
    claimant: Claimant,
    deadline: Deadline,
  ): Promise<Connected> {
    const { resolver, dialer, clock } = this.options;
    if (!resolver.hasOther(target, [target.address])) {
      return { target, connection: await dialer.dial(target, claimant, deadline) };
    }
    const race = new AddressRace({
      clock,
      next: (tried) => this.nextOf(target, url, claimant, tried),
      dial: (each, stop) => dialer.dial(each, claimant, stop),
      avoid: (each) => resolver.avoid(each, claimant),
    });
    return race.run(target, deadline);
  }

  private nextOf(
    target: ResolvedTarget,
    url: string,
    claimant: Claimant,
    tried: readonly string[],
  ): ResolvedTarget | null {
    const { resolver } = this.options;
    if (tried.length === MAX_TRIES || !resolver.hasOther(target, tried)) return null;
    const next = resolver.resolve(url, claimant, tried);
    // The look-up is still fresh, since another address is known.
    return next instanceof Promise ? null : next;
  }
}
