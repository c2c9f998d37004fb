import { HAND_OVER_MS } from "../../../src/dispatch/pacer";
import { Ownership } from "../../../src/ownership/ownership";
import { Rebalancer } from "../../../src/ownership/rebalancer";
import { sleep } from "../../../src/runtime/clock";
import { createLog } from "../../../src/runtime/log";
import { Host } from "./host";
import { LeaseTable } from "./lease-table";
import { PostgresLink } from "./postgres-link";
import { Random } from "./random";
import { SimulatedLeases } from "./simulated-leases";
import { Timeline } from "./timeline";

export const TTL_MS = 5_000;
const silent = createLog("silent");

/** An owner that shares the partitions with others. */
export type Member = {
  host: Host;
  ownership: Ownership;
  leases: SimulatedLeases;
  /** Each gain and loss, in order: `+3`, `-3`. */
  changes: string[];
  drains: number[];
  resumes: number[];
  /** How long the attempts under way in a partition take to end… */
  busyMs: number;
  /** …unless the partition has held slow receivers for this long. */
  restedAfterMs: number;
  /** Since when each partition has held slow receivers. */
  slowHeld: Map<number, number>;
  /** Called when a partition has been drained, right before its release. */
  onDrained(): void;
  /** Nothing is at work there any more. */
  isLeaving: boolean;
};

/** Simulates several ownerships over the same rows, without dispatchers. */
export class Cluster {
  readonly timeline = new Timeline();
  readonly random: Random;
  readonly table: LeaseTable;
  readonly link: PostgresLink;
  readonly members: Member[] = [];
  releases = 0;

  constructor(
    readonly partitions: number,
    seed = 1,
  ) {
    this.random = new Random(seed);
    this.table = new LeaseTable(this.timeline, partitions);
    this.link = new PostgresLink(this.timeline, this.random.fork());
  }

  join(busyMs = 0): Member {
    const { timeline, table, link } = this;
    const host = new Host(`host-${this.members.length}`, timeline, this.random.fork(), 0);
    const leases = new SimulatedLeases({ host, table, link, timeline, ttlMs: TTL_MS });
    const restedAfterMs = Number.POSITIVE_INFINITY;
    const lists = { changes: [], drains: [], resumes: [], slowHeld: new Map<number, number>() };
    const watched = { ...lists, busyMs, restedAfterMs, onDrained: () => {}, isLeaving: false };
    const member: Member = Object.assign(watched, {
      host,
      leases,
      ownership: new Ownership({
        leases,
        ttlMs: TTL_MS,
        clock: host.clock,
        log: silent,
        onGained: (partition) => member.changes.push(`+${partition}`),
        onLost: (partition) => member.changes.push(`-${partition}`),
        rebalancer: new Rebalancer({
          clock: host.clock,
          drain: (partition) => drain(member, partition, HAND_OVER_MS),
          resume: (partition) => member.resumes.push(partition),
          holdSlowReceivers: (partition, isOn) => {
            if (isOn) member.slowHeld.set(partition, host.clock.monotonic());
            else member.slowHeld.delete(partition);
          },
        }),
        onHeld: () => member.changes.push("held"),
        onReleased: () => this.notifyOfRelease(),
      }),
    });
    this.members.push(member);
    member.ownership.start();
    return member;
  }

  /** Leaves like a dispatcher that is asked to stop, whether or not Postgres learns of it. */
  leave(member: Member): void {
    member.host.deliver(async () => {
      member.ownership.retire();
      await member.ownership.stop();
      member.isLeaving = true;
      await member.leases.leave().catch(() => {});
      this.notifyOfRelease();
      member.host.end();
    });
  }

  crash(member: Member): void {
    member.host.crash();
  }

  get alive(): Member[] {
    return this.members.filter(({ host }) => !host.isGone);
  }

  /** Lets time pass, and checks after every event that no two members trust the same partition. */
  pass(ms: number): void {
    const until = this.timeline.now + ms;
    this.timeline.run(until, () => {
      this.checkTrust();
      return false;
    });
  }

  trusting(partition: number): Member[] {
    return this.alive.filter(({ ownership, isLeaving }) => !isLeaving && ownership.mayActOn(partition));
  }

  shares(): number[] {
    return this.alive.map(({ ownership }) => ownership.partitions().length);
  }

  private checkTrust(): void {
    for (let partition = 0; partition < this.partitions; partition++) {
      const names = this.trusting(partition).map(({ host }) => host.name);
      if (names.length > 1) throw new Error(`partition ${partition} is trusted by ${names.join(" and ")}`);
    }
  }

  // Notifies every member, also the one that released.
  private notifyOfRelease(): void {
    this.releases++;
    for (const { host, ownership } of this.members) {
      this.timeline.after(this.random.between(0.1, 2), () => host.deliver(() => ownership.renewNow()));
    }
  }
}

async function drain(member: Member, partition: number, withinMs: number): Promise<boolean> {
  const { clock } = member.host;
  member.drains.push(partition);
  const heldSince = member.slowHeld.get(partition) ?? Number.POSITIVE_INFINITY;
  const busyMs = clock.monotonic() - heldSince >= member.restedAfterMs ? 0 : member.busyMs;
  await sleep(clock, Math.min(busyMs, withinMs));
  member.onDrained();
  return busyMs <= withinMs;
}

/** Returns the partitions that a member holds by its notifications. Throws if it was notified twice. */
export function heldBy({ changes }: Member): Set<number> {
  const held = new Set<number>();
  for (const change of changes) {
    const partition = Number(change.slice(1));
    const isNews = change.startsWith("+") ? !held.has(partition) : held.delete(partition);
    if (!isNews) throw new Error(`${change} after ${changes.join(" ")}`);
    if (change.startsWith("+")) held.add(partition);
  }
  return held;
}
