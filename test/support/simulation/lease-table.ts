import type { Lease } from "../../../src/dispatch/lease";
import type { Timeline } from "./timeline";

type LeaseRow = { partition: number; owner: string | null; term: number; expiresAt: number };

/** The rows behind src/dispatch/lease.ts, and its statements, each at one moment of Postgres' clock. */
export class LeaseTable {
  private readonly rows: LeaseRow[];
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

  renew(owner: string, ttlMs: number): { leases: Lease[]; share: number } {
    const { now } = this.timeline;
    for (const [id, expiresAt] of this.dispatchers) {
      if (expiresAt < now && id !== owner) this.dispatchers.delete(id);
    }
    this.dispatchers.set(owner, now + ttlMs);
    const mine = this.rows.filter((row) => row.owner === owner);
    for (const row of mine) row.expiresAt = now + ttlMs;
    return { leases: mine.map(leaseOf), share: this.shareOf(owner) };
  }

  claim(owner: string, count: number, ttlMs: number, expiredToo: boolean): Lease[] {
    const { now } = this.timeline;
    const isFree = (row: LeaseRow) => row.owner === null || (expiredToo && row.expiresAt < now);
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

  /** Partitions that a dispatcher owns by a lease that has not run out. */
  ownedBy(owner: string): number {
    return this.rows.filter((row) => row.owner === owner && row.expiresAt >= this.timeline.now).length;
  }

  private shareOf(owner: string): number {
    const alive = [...this.dispatchers].filter(([, expiresAt]) => expiresAt > this.timeline.now);
    const place = alive
      .map(([id]) => id)
      .sort()
      .indexOf(owner);
    const whole = Math.floor(this.rows.length / alive.length);
    return whole + (place < this.rows.length % alive.length ? 1 : 0);
  }
}

function leaseOf({ partition, term }: LeaseRow): Lease {
  return { partition, term };
}
