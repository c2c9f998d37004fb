import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { Outage } from "../runtime/outage";
import type { Lease, Leases } from "./leases";
import type { Rebalancer } from "./rebalancer";

export type OwnershipOptions = Readonly<{
  leases: Leases;
  ttlMs: number;
  clock: Clock;
  log: Log;
  /** A partition is ours: begin. */
  onGained(partition: number): void;
  /** It is someone else's now: stop at once. */
  onLost(partition: number): void;
  rebalancer: Rebalancer;
  /** Partitions were given back: others may look for them now. */
  onReleased(): void;
}>;

/**
 * The share of a lease's time within which the next renewal must follow for the contact with Postgres to count as unbroken.
 * Less than half: an owner may have renewed a third of that time before the same outage began, and fail once after it.
 */
const UNBROKEN = 0.45;
/** Renewals are tried this often while they fail, milliseconds. */
const RETRY_MS = 250;

/** Renewals that followed each other without a gap, and by clocks that went alike. */
type Contact = Readonly<{
  /** When the first and the last of them were begun; monotonic. */
  since: number;
  last: number;
  /** By how much Postgres' clock is ahead of our monotonic one, at least and at most, as all of them say. */
  ahead: Readonly<{ least: number; most: number }>;
}>;

const NO_CONTACT: Contact = {
  since: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
  ahead: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
};

/**
 * Which partitions are ours. A lease is trusted by our own clocks, from before it was asked for until a margin before
 * Postgres would let it expire: so no two processes trust one at the same time, whatever any clock is set to and however
 * long either of them stood still.
 */
export class Ownership {
  private readonly owned = new Map<number, Lease>();
  /** Given back, though Postgres may not know it yet: such a term is never trusted again. */
  private readonly released = new Map<number, Lease>();
  /** By the wall clock too: the monotonic one stands still while a machine is suspended, and leases run out meanwhile. */
  private trustedUntil = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  private retired = false;
  private contact = NO_CONTACT;
  private readonly outage: Outage;
  private readonly loop: Loop;

  constructor(private readonly options: OwnershipOptions) {
    const words = { begun: "leases could not be renewed", over: "leases are renewed again" };
    this.outage = new Outage(options.log, words);
    this.loop = new Loop({
      clock: options.clock,
      round: () => this.round(),
      failed: (error) => this.failed(error),
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Keeps what is owned and takes nothing more. */
  retire(): void {
    this.retired = true;
    this.options.rebalancer.stop();
  }

  /** Ends the renewals; what is owned stays so until `leases.leave()` or the expiry. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** True while the partition is surely ours. */
  mayActOn(partition: number): boolean {
    const { clock } = this.options;
    const { monotonic, wall } = this.trustedUntil;
    return this.owned.has(partition) && clock.monotonic() < monotonic && clock.now() < wall;
  }

  partitions(): number[] {
    return [...this.owned.keys()];
  }

  /** Looks at the leases now rather than at the next renewal. */
  lookNow(): void {
    this.loop.wake();
  }

  private async round(): Promise<number> {
    const { clock, ttlMs } = this.options;
    // From beginning to beginning: however long a round takes, the next renewal is not late for it.
    const next = clock.monotonic() + ttlMs / 3;
    await this.renew();
    this.outage.worked();
    return next - clock.monotonic();
  }

  private failed(error: unknown): number {
    this.outage.failed(error);
    return Math.min(RETRY_MS, this.options.ttlMs / 3);
  }

  private async renew(): Promise<void> {
    const { clock } = this.options;
    const [begun, begunWall] = [clock.monotonic(), clock.now()];
    const { leases, share, at } = await this.options.leases.renew();
    this.noteContact(begun, at);
    this.trust(begun, begunWall);
    this.keepOnly(leases);
    if (this.retired) return;
    if (this.released.size > 0) await this.release();
    if (this.owned.size > share) return this.giveUp(this.owned.size - share);
    this.options.rebalancer.end();
    if (this.owned.size < share)
      await this.claim(share - this.owned.size, this.knowsWhoLives(begun) ? at : null);
  }

  /** A renewal that was begun then, and done `at` by Postgres' clock. */
  private noteContact(begun: number, at: number): void {
    const { since, last, ahead } = this.contact;
    const told = { least: at - this.options.clock.monotonic(), most: at - begun };
    const both = { least: Math.max(ahead.least, told.least), most: Math.min(ahead.most, told.most) };
    const hasGap = begun - last >= this.options.ttlMs * UNBROKEN;
    // One of the clocks has jumped, by more than the margin makes good.
    const hasJump = both.least - both.most >= this.marginMs / 2;
    this.contact =
      hasGap || hasJump ? { since: begun, last: begun, ahead: told } : { since, last: begun, ahead: both };
  }

  // When Postgres comes back, or its clock has jumped ahead, all leases have run out, though their owners live and may have
  // an attempt to record: whoever has just made contact gives them the time of a lease to renew theirs.
  private knowsWhoLives(now: number): boolean {
    return now - this.contact.since >= this.options.ttlMs;
  }

  private get marginMs(): number {
    return Math.max(this.options.ttlMs / 10, 50);
  }

  private trust(begun: number, begunWall: number): void {
    const forMs = this.options.ttlMs - this.marginMs;
    this.trustedUntil = { monotonic: begun + forMs, wall: begunWall + forMs };
  }

  private keepOnly(leases: readonly Lease[]): void {
    const terms = new Map(leases.map((lease) => [lease.partition, lease.term]));
    for (const [partition, lease] of this.owned) {
      if (terms.get(partition) === lease.term) continue;
      this.owned.delete(partition);
      this.options.onLost(partition);
    }
    for (const [partition, { term }] of this.released) {
      if (terms.get(partition) !== term) this.released.delete(partition);
    }
    // Ours by the rows, though we do not know it: a claim whose answer was lost.
    for (const lease of leases) {
      const isKnown = this.owned.has(lease.partition) || this.released.has(lease.partition);
      if (!isKnown && !this.retired) this.gain(lease);
    }
  }

  private async claim(count: number, expiredBefore: number | null): Promise<void> {
    for (const lease of await this.options.leases.claim(count, expiredBefore)) {
      if (this.retired) this.released.set(lease.partition, lease);
      else this.gain(lease);
    }
    if (this.retired && this.released.size > 0) await this.release();
  }

  private gain(lease: Lease): void {
    this.owned.set(lease.partition, lease);
    this.options.onGained(lease.partition);
  }

  private async giveUp(count: number): Promise<void> {
    const free = await this.options.rebalancer.free(this.partitions(), count);
    if (free.length === 0) return;
    for (const partition of free) this.letGo(partition);
    await this.release();
    if (free.length < count) this.lookNow();
  }

  private letGo(partition: number): void {
    const lease = this.owned.get(partition);
    if (!lease) return;
    this.owned.delete(partition);
    this.released.set(partition, lease);
    this.options.onLost(partition);
  }

  private async release(): Promise<void> {
    await this.options.leases.release([...this.released.values()]);
    this.released.clear();
    this.options.onReleased();
  }
}
