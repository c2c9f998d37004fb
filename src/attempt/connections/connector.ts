import { connect, type Socket } from "node:net";
import type { Clock } from "../../runtime/clock";
import type { Claimant } from "../admission";
import type { Deadline } from "../deadline";
import type { ExchangeTrace } from "../exchange";
import { ProxyFailure } from "../failure";
import type { TargetResolver } from "../targets/resolver";
import type { ResolvedTarget } from "../targets/route";
import { AddressRace } from "./address-race";
import { type Connected, Connection, type Sent } from "./connection";
import { type EgressProxy, openTunnel } from "./egress-proxy";
import { IdleConnections } from "./idle-connections";
import { type Keep, socketEvent } from "./socket";
import type { ReceiverTls } from "./tls";

/** Most addresses of a name that one exchange tries to connect to. */
export const MAX_TRIES = 3;

export type ConnectorOptions = Readonly<{
  resolver: Pick<TargetResolver, "resolve" | "avoid" | "hasOther">;
  tls: ReceiverTls;
  /** The proxy of every connection; null: none. */
  egressProxy: EgressProxy | null;
  clock: Clock;
}>;

/** Connects to a checked address, without TLS. */
type Reach = (target: ResolvedTarget, keep: Keep) => Promise<Socket>;

/** Finds or makes the connection for a request, and keeps it for the next one. */
export class Connector {
  private readonly idle: IdleConnections;
  private readonly reach: Reach;

  constructor(private readonly options: ConnectorOptions) {
    const { egressProxy, clock } = options;
    this.idle = new IdleConnections(clock);
    this.reach = egressProxy ? (to, keep) => openTunnel(to.authority, egressProxy, keep) : reachDirectly;
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
    const isAlone = !resolver.hasOther(target, [target.address]);
    const connected = isAlone
      ? { target, connection: await this.dial(target, claimant, deadline) }
      : await this.race(target, url, claimant, deadline);
    trace.address = connected.target.authority;
    trace.connected(began, connected.connection.tlsMs);
    return connected;
  }

  /** Keeps the connection for the next request, or closes it; after a delivery gently, see `Connection.end`. */
  release({ connection, target }: Connected, account: string, { answer, isWritten }: Sent): void {
    const use = { account, target };
    if (connection.isLost) return;
    if (connection.isFreeAfter(answer)) this.idle.keep(connection, use, answer.head?.idleTimeoutS ?? null);
    else if (answer.isSuccess && isWritten) this.idle.end(connection, use);
    else connection.destroy();
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.idle.close();
  }

  /** Connects to the address, and checks the certificate. Rejects with the socket's error. */
  private async dial(target: ResolvedTarget, claimant: Claimant, deadline: Deadline): Promise<Connection> {
    const sockets: Socket[] = [];
    const giveUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    const keep: Keep = (socket) => {
      // Without a listener an error would end the process. The promises below reject with it too.
      sockets.push(socket.on("error", () => {}));
      deadline.onPassed(giveUp);
      return socket;
    };
    try {
      const socket = await this.reach(target, keep);
      return target.isSecure
        ? await this.options.tls.secure(socket, target, claimant, keep)
        : withoutTls(socket);
    } catch (error) {
      giveUp();
      throw error instanceof ProxyFailure && deadline.hasPassed ? new ProxyFailure("proxy_timeout") : error;
    }
  }

  // Tries another address of the name: without a connection nothing was sent. The common case is `localhost` with a
  // receiver on only one of its two addresses.
  private race(
    target: ResolvedTarget,
    url: string,
    claimant: Claimant,
    deadline: Deadline,
  ): Promise<Connected> {
    const { resolver, clock } = this.options;
    const race = new AddressRace({
      clock,
      next: (tried) => this.nextOf(target, url, claimant, tried),
      dial: (each, stop) => this.dial(each, claimant, stop),
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

async function reachDirectly({ address: host, port }: ResolvedTarget, keep: Keep): Promise<Socket> {
  const socket = keep(connect({ host, port, noDelay: true }));
  await socketEvent(socket, "connect");
  return socket;
}

function withoutTls(socket: Socket): Connection {
  const connection = new Connection(socket);
  // A tunnel was paused behind the proxy's answer.
  socket.resume();
  return connection;
}
