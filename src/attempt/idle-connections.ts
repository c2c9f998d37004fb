import type { Clock } from "../runtime/clock";
import type { Connection } from "./connection";
import { Deadlines } from "./deadlines";

/** Idle connections are given up before the minute after which most receivers close them. */
const IDLE_S = 30;
/** Less than what a receiver says, seconds: its time began before ours, and a request takes its time to get there. */
const MARGIN_S = 1;
/** Most connections kept idle, over all receivers. */
const MAX_IDLE = 1_024;

/** Connections that wait for the next request to their receiver. */
export class IdleConnections {
  private readonly byKey = new Map<string, Connection[]>();
  /** How long each may be idle, milliseconds; in the order in which they were put in. */
  private readonly all = new Map<Connection, number>();
  private readonly deadlines: Deadlines;

  constructor(private readonly clock: Clock) {
    this.deadlines = new Deadlines(clock);
  }

  /** The one that was used last, which the receiver is least likely to have closed; null when there is none. */
  take(key: string): Connection | null {
    const connection = this.byKey.get(key)?.at(-1);
    if (!connection) return null;
    this.remove(connection);
    return connection;
  }

  /** Keeps a connection, for as long as its receiver leaves it open: `idleTimeoutS`, null when that is not known. */
  put(connection: Connection, idleTimeoutS: number | null): void {
    const idleMs = Math.min(IDLE_S, (idleTimeoutS ?? Number.POSITIVE_INFINITY) - MARGIN_S) * 1_000;
    if (idleMs <= 0) {
      connection.destroy();
      return;
    }
    const same = this.byKey.get(connection.key);
    if (same) same.push(connection);
    else this.byKey.set(connection.key, [connection]);
    this.all.set(connection, idleMs);
    connection.onLost = () => this.remove(connection);
    this.deadlines.set(connection, this.clock.monotonic(), idleMs);
    const [oldest] = this.all.keys();
    if (this.all.size > MAX_IDLE) oldest?.destroy();
  }

  close(): void {
    for (const connection of [...this.all.keys()]) connection.destroy();
  }

  private remove(connection: Connection): void {
    const idleMs = this.all.get(connection);
    if (idleMs === undefined) return;
    this.all.delete(connection);
    this.deadlines.clear(connection, idleMs);
    const same = this.byKey.get(connection.key) ?? [];
    if (same.length === 1) this.byKey.delete(connection.key);
    else same.splice(same.lastIndexOf(connection), 1);
  }
}
