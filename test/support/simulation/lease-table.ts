import type { Lease, Renewal } from "../../../src/ownership/leases";
import type { Timeline } from "./timeline";

type LeaseRow = { partition: number; owner: string | null; term: number; expiresAt: number };

/** Simulates the rows and statements of src/ownership/leases.ts, each at one moment of Postgres' clock. */
export class LeaseTable {
  private readonly rows: LeaseRow[];
  /** How far Postgres' clock has been set ahead. */
  private aheadMs = 0;
  private longestMs = 0;
  private readonly dispatchers = new Map<string, number>();

  constructor(
    private readonly timeline: Timeline,
    partitions: number,
  ) {
    this.rows = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      owner: null,
      term: 0,
      expiresAt: 0,
    }));
  }

  /** The time of Postgres' clock. */
  private get now(): number {
    return this.timeline.now + this.aheadMs;
  }

  /** Lets Postgres' clock jump, ahead or back. */
  setClock(byMs: number): void {
    this.aheadMs += byMs;
  }

  /** Records the dispatcher's report, which it sends before anything else. */
  notify(ttlMs: number): void {
    this.longestMs = Math.max(this.longestMs, ttlMs);
  }

  renew(owner: string, ttlMs: number, isLeaving: boolean): Renewal {
    const { now } = this;
    for (const [id, expiresAt] of this.dispatchers) {
      const isOver = expiresAt < now || expiresAt > now + 2 * this.longestMs;
      if (isOver && id !== owner) this.dispatchers.delete(id);
    }
    if (isLeaving) this.dispatchers.delete(owner);
    else this.dispatchers.set(owner, now + ttlMs);
    const mine = this.rows.filter((row) => row.owner === owner);
    for (const row of mine) row.expiresAt = now + ttlMs;
    return { leases: mine.map(leaseOf), share: this.shareOf(owner), at: now, heldUntil: null };
  }

  claim(owner: string, count: number, ttlMs: number, expiredBefore: number | null): Lease[] {
    const { now } = this;
    const isOver = ({ expiresAt }: LeaseRow, at: number) =>
      expiresAt < at || expiresAt > Math.max(at, now) + 2 * this.longestMs;
    const isFree = (row: LeaseRow) =>
      row.owner === null || (expiredBefore !== null && isOver(row, expiredBefore));
    const free = this.rows.filter(isFree).slice(0, count);
    for (const row of free) {
      row.owner = owner;
      row.term++;
      row.expiresAt = now + ttlMs;
    }
    return free.map(leaseOf);
  }

  release(owner: string, leases: readonly Lease[]): void {
    for (const { partition, term } of leases) {
      const row = this.rows[partition];
      if (row?.owner === owner && row.term === term) row.owner = null;
    }
  }

  leave(owner: string): void {
    for (const row of this.rows) if (row.owner === owner) row.owner = null;
    this.dispatchers.delete(owner);
  }

  /** Counts the partitions that a dispatcher owns by a valid lease. */
  ownedBy(owner: string): number {
    return this.rows.filter((row) => row.owner === owner && row.expiresAt >= this.now).length;
  }

  private shareOf(owner: string): number {
    const { now, longestMs } = this;
    const marked = [...this.dispatchers].filter(([, at]) => at > now && at <= now + 2 * longestMs);
    const alive = [...new Set([...marked.map(([id]) => id), owner])].sort();
    const whole = Math.floor(this.rows.length / alive.length);
    return whole + (alive.indexOf(owner) < this.rows.length % alive.length ? 1 : 0);
  }
}

function leaseOf({ partition, term }: LeaseRow): Lease {
  return { partition, term };
}
