import type { Database } from "../../../src/db/database";
import { type Lease, Leases, type Renewal } from "../../../src/ownership/leases";
import type { Host } from "./host";
import type { LeaseTable } from "./lease-table";
import type { Fault, PostgresLink } from "./postgres-link";
import type { Timeline } from "./timeline";

const NO_DATABASE = null as unknown as Database;

export type LeasesAt = {
  host: Host;
  table: LeaseTable;
  link: PostgresLink;
  timeline: Timeline;
  ttlMs: number;
  /** Called when the dispatcher releases everything. */
  onLeaving?(): void;
};

/** Simulates the leases as a dispatcher sees them, over a link that fails. */
export class SimulatedLeases extends Leases {
  constructor(private readonly at: LeasesAt) {
    super(NO_DATABASE, at.host.name, at.ttlMs);
    at.table.notify(at.ttlMs);
  }

  override async prepare(): Promise<void> {}

  override renew(isLeaving: boolean): Promise<Renewal> {
    return this.call((table, owner) => table.renew(owner, this.at.ttlMs, isLeaving));
  }

  override claim(count: number, expiredBefore: number | null): Promise<Lease[]> {
    return this.call((table, owner) => table.claim(owner, count, this.at.ttlMs, expiredBefore));
  }

  override release(leases: readonly Lease[]): Promise<void> {
    return this.call((table, owner) => table.release(owner, leases), true);
  }

  override leave(): Promise<void> {
    this.at.onLeaving?.();
    return this.call((table, owner) => table.leave(owner), true);
  }

  private call<T>(work: (table: LeaseTable, owner: string) => T, isGivingUp = false): Promise<T> {
    const { host, table, link, timeline, ttlMs } = this.at;
    const onFault = ({ kind, until }: Fault) =>
      host.disturbances.push({ kind, from: timeline.now, to: until });
    return link.call(host, () => work(table, host.name), { onFault, isGivingUp, timeoutMs: ttlMs / 6 });
  }
}
