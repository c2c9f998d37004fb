import { type Clock, systemClock } from "../../runtime/clock";
import type { Log } from "../../runtime/log";
import { Loop } from "../../runtime/loop";
import type { ClientConnection, ClientSockets } from "./client-sockets";

/** Most connections that a server keeps, in all and per source address. */
export type ConnectionBounds = Readonly<{ inAll: number; perSource: number }>;

const CHECK_EVERY_MS = 100;
/** The pause after a check that found half of the limit in use. */
const SOON_MS = 10;
/**
 * The share of the thread's time that checks may take, ordinarily and during a flood. A check of 16,000 open sockets takes 6 ms.
 */
const CHECK_SHARE = { ordinary: 0.02, flood: 0.2 };
const LOG_EVERY_MS = 60_000;

/** Returns the limits. One address may have half of the connections, so that its flood leaves the other half. */
export function boundsOf(inAll: number): ConnectionBounds {
  return { inAll, perSource: Math.max(1, Math.floor(inAll / 2)) };
}

/**
 * Chooses the connections to end: first the excess of each source, then the excess in all, from the sources with most. Within a
 * source, ends connections without an answer first, then the longest silent.
 */
export function connectionsToEnd(
  connections: readonly ClientConnection[],
  { inAll, perSource }: ConnectionBounds,
): ClientConnection[] {
  const bySource = Map.groupBy(connections, ({ source }) => source);
  const ranked = [...bySource.values()].flatMap((group) =>
    group.toSorted(byPriority).map((connection, rank) => ({ connection, rank })),
  );
  ranked.sort((a, b) => a.rank - b.rank || byPriority(a.connection, b.connection));
  return ranked.flatMap(({ connection, rank }, i) => (i >= inAll || rank >= perSource ? [connection] : []));
}

function byPriority(a: ClientConnection, b: ClientConnection): number {
  return b.progress - a.progress || a.silentMs - b.silentMs;
}

export type ConnectionLimitOptions = Readonly<{
  port: number;
  bounds: ConnectionBounds;
  log: Log;
  clock?: Clock;
}>;

/** Ends a port's excess connections, shortly after they open. */
export class ConnectionLimit {
  private readonly loop: Loop;
  private readonly clock: Clock;
  private ended = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly sockets: ClientSockets,
    private readonly options: ConnectionLimitOptions,
  ) {
    this.clock = options.clock ?? systemClock;
    this.loop = new Loop({
      clock: this.clock,
      round: async () => this.check(),
      failed: () => CHECK_EVERY_MS,
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Ends the excess and returns the pause until the next check. */
  private check(): number {
    const { clock, sockets, options } = this;
    const startedAt = clock.monotonic();
    const { perSource } = options.bounds;
    const found = sockets.connectedTo(options.port);
    const excess = found.length > perSource ? this.connectionsToEnd(found) : [];
    for (const { fd } of excess) sockets.shutDown(fd);
    this.report(excess.length);
    const tookMs = clock.monotonic() - startedAt;
    if (excess.length > 0) return Math.max(SOON_MS, tookMs / CHECK_SHARE.flood);
    return Math.max(found.length > perSource / 2 ? SOON_MS : CHECK_EVERY_MS, tookMs / CHECK_SHARE.ordinary);
  }

  private connectionsToEnd(found: readonly number[]): ClientConnection[] {
    const connections = found.flatMap((fd) => this.sockets.describe(fd) ?? []);
    return connectionsToEnd(connections, this.options.bounds);
  }

  private report(ended: number): void {
    this.ended += ended;
    const now = this.clock.monotonic();
    if (this.ended === 0 || now - this.loggedAt < LOG_EVERY_MS) return;
    const { port, bounds, log } = this.options;
    log.warn(
      { port, ended: this.ended, ...bounds },
      "too many client connections; ended the ones that were idle longest",
    );
    this.loggedAt = now;
    this.ended = 0;
  }
}
