import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import type { Connection } from "./connection";
import { Deadlines } from "./deadlines";

/** Idle connections are given up before the minute after which most receivers close them. */
const IDLE_S = 30;
/** Less than what a receiver says, seconds: its time began before ours, and a request takes its time to get there. */
const MARGIN_S = 1;
/** Most connections kept idle, over all receivers. */
const MAX_IDLE = 1_024;
/**
 * A receiver that ends a connection so soon after its answer, and did not say so, does it every time, as a rule. What goes
 * out meanwhile is lost: with a backlog every second attempt (seen). So none to it is kept for a while; milliseconds.
 */
const SOON_MS = 1_000;
const NOT_KEPT_MS = 10_000;
const MAX_NOT_KEPT = 10_000;

/** Connections that wait for the next request to their receiver. */
export class IdleConnections {
  private readonly byKey = new Map<string, Connection[]>();
  /** How long each may be idle, milliseconds; in the order in which they were put in. */
  private readonly all = new Map<Connection, number>();
  /** Until when none is kept, by key. */
  private readonly notKept = new BoundedMap<string, number>(MAX_NOT_KEPT);
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
    const now = this.clock.monotonic();
    const idleMs = Math.min(IDLE_S, (idleTimeoutS ?? Number.POSITIVE_INFINITY) - MARGIN_S) * 1_000;
    if (idleMs <= 0 || now < (this.notKept.get(connection.key) ?? Number.NEGATIVE_INFINITY)) {
      connection.destroy();
      return;
    }
    const same = this.byKey.get(connection.key);
    if (same) same.push(connection);
    else this.byKey.set(connection.key, [connection]);
    this.all.set(connection, idleMs);
    connection.onLost = (byReceiver) => this.lost(connection, byReceiver, now);
    this.deadlines.set(connection, now, idleMs);
    const [oldest] = this.all.keys();
    if (this.all.size > MAX_IDLE) oldest?.destroy();
  }

  close(): void {
    for (const connection of [...this.all.keys()]) connection.destroy();
  }

  /** Also one that carries an exchange again. */
  private lost(connection: Connection, byReceiver: boolean, putAt: number): void {
    this.remove(connection);
    const now = this.clock.monotonic();
    if (byReceiver && now - putAt < SOON_MS) this.notKept.set(connection.key, now + NOT_KEPT_MS);
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
