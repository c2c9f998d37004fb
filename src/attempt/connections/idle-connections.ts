import type { Clock } from "../../runtime/clock";
import { SharedTimers } from "../deadline";
import type { Connection } from "./connection";

/** Most seconds that a connection stays idle. Most receivers close theirs after a minute. */
export const IDLE_S = 30;
/** Seconds subtracted from a receiver's timeout. Its timer started before ours, and a request takes time to arrive. */
const MARGIN_S = 1;
/** Most connections held here, over all receivers. Beyond it the account that holds most loses its oldest. */
export const MAX_IDLE = 1_024;

/** The account and the target of a connection, see `ResolvedTarget.key`. */
export type Use = Readonly<{ account: string; target: Readonly<{ key: string }> }>;

/** A connection that is kept. `key` is null while it is being ended. */
type KeptConnection = Readonly<{ account: string; key: string | null; ms: number }>;

/**
 * Keeps connections open for the next request of the same account to the same receiver. Accounts never share a connection,
 * even if they share an address or a host name. Otherwise a balancer that routes a connection by its first request would
 * send one account's webhooks to another's receiver, and a surplus answer would be read as another account's.
 */
export class IdleConnections {
  private readonly byKey = new Map<string, Connection[]>();
  private readonly all = new Map<Connection, KeptConnection>();
  /** Oldest first. */
  private readonly byAccount = new Map<string, Set<Connection>>();
  private readonly deadlines: SharedTimers;

  constructor(
    private readonly clock: Clock,
    private readonly most = MAX_IDLE,
  ) {
    this.deadlines = new SharedTimers(clock);
  }

  /** Removes and returns the connection that was used last, which the receiver has least likely closed. Null: there is none. */
  reuse(use: Use): Connection | null {
    const connection = this.byKey.get(keyOf(use))?.at(-1);
    if (!connection) return null;
    this.remove(connection);
    connection.isReused = true;
    return connection;
  }

  /** Keeps a connection while its receiver leaves it open: for `idleTimeoutS` seconds (null: unknown). */
  keep(connection: Connection, use: Use, idleTimeoutS: number | null): void {
    const key = keyOf(use);
    const idleMs = Math.min(IDLE_S, (idleTimeoutS ?? Number.POSITIVE_INFINITY) - MARGIN_S) * 1_000;
    if (idleMs <= 0) {
      this.end(connection, use);
      return;
    }
    const same = this.byKey.get(key);
    if (same) same.push(connection);
    else this.byKey.set(key, [connection]);
    connection.onLost = () => this.remove(connection);
    connection.onSpent = () => this.end(connection, use);
    this.hold(connection, { account: use.account, key, ms: idleMs });
  }

  /** Ends a connection from which the receiver may still read. Holds it until the receiver closes it too. */
  end(connection: Connection, { account }: Use): void {
    this.remove(connection);
    connection.onLost = () => this.remove(connection);
    this.hold(connection, { account, key: null, ms: IDLE_S * 1_000 });
    connection.end();
  }

  /** Closes all. */
  close(): void {
    for (const connection of [...this.all.keys()]) connection.destroy();
  }

  private hold(connection: Connection, kept: KeptConnection): void {
    const { account, ms } = kept;
    const own = this.byAccount.get(account);
    if (own) own.add(connection);
    else this.byAccount.set(account, new Set([connection]));
    this.all.set(connection, kept);
    this.deadlines.set(connection, this.clock.monotonic(), ms);
    if (this.all.size > this.most) this.evictOne(account);
  }

  /**
   * Evicts the oldest connection of the account that holds most. Otherwise one account with thousands of receivers would
   * evict everyone else's.
   */
  private evictOne(account: string): void {
    let largest = this.byAccount.get(account) ?? new Set();
    // An account with more than an even share need not be compared.
    if (largest.size * this.byAccount.size < this.all.size) {
      for (const each of this.byAccount.values()) if (each.size > largest.size) largest = each;
    }
    const [oldest] = largest;
    oldest?.destroy();
  }

  private remove(connection: Connection): void {
    const kept = this.all.get(connection);
    if (kept === undefined) return;
    this.all.delete(connection);
    this.deadlines.clear(connection, kept.ms);
    const own = this.byAccount.get(kept.account);
    if (own?.delete(connection) && own.size === 0) this.byAccount.delete(kept.account);
    if (kept.key === null) return;
    const same = this.byKey.get(kept.key) ?? [];
    if (same.length === 1) this.byKey.delete(kept.key);
    else same.splice(same.lastIndexOf(connection), 1);
  }
}

function keyOf({ account, target }: Use): string {
  return `${account} ${target.key}`;
}
