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
  /** The partition is ours from now on. */
  onGained(partition: number): void;
  /** The partition is no longer ours: stop at once. */
  onLost(partition: number): void;
  rebalancer: Rebalancer;
  /** Partitions were released, so others can claim them now. */
  onReleased(): void;
}>;

/**
 * Contact with Postgres is unbroken while renewals follow each other within this share of a lease. Less than half: before an
 * outage an owner's last renewal may be a third of a lease old, and its first one after it may fail.
 */
const UNBROKEN = 0.45;
/** A failed renewal is tried again after this time. */
const RETRY_MS = 250;

/** Renewals that followed each other without a gap, during which no clock jumped. */
type Contact = Readonly<{
  /** The beginnings of the first and the last of them, on our monotonic clock. */
  since: number;
  last: number;
  /** Bounds on how far Postgres' clock is ahead of our monotonic clock, from all of them. */
  ahead: Readonly<{ least: number; most: number }>;
}>;

const NO_CONTACT: Contact = {
  since: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
  ahead: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
};

/**
 * Keeps track of the partitions that are ours. A lease is trusted by our own clocks, from before the request for it until a
 * margin before Postgres lets it expire. So two processes never trust the same lease at the same time, whatever their clocks
 * are set to and however long either was suspended.
 */
export class Ownership {
  private readonly owned = new Map<number, Lease>();
  /** Leases that we gave up, though Postgres may not know it yet. Their terms are never trusted again. */
  private readonly released = new Map<number, Lease>();
  /** On both clocks: the monotonic one stops while a machine is suspended, and leases expire meanwhile. */
  private trustedUntil = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  private retired = false;
  private contact = NO_CONTACT;
  private readonly outage: Outage;
  private readonly loop: Loop;

  constructor(private readonly options: OwnershipOptions) {
    const words = {
      begun: "could not renew leases: this dispatcher stops sending when they expire",
      over: "leases are renewed again",
    };
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

  /** Keeps its partitions and claims no more. */
  retire(): void {
    this.retired = true;
    this.options.rebalancer.stop();
  }

  /** Ends the renewals. The leases last until `leases.leave()` or their expiry. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** True while the partition is ours beyond doubt. */
  mayActOn(partition: number): boolean {
    const { clock } = this.options;
    const { monotonic, wall } = this.trustedUntil;
    return this.owned.has(partition) && clock.monotonic() < monotonic && clock.now() < wall;
  }

  partitions(): number[] {
    return [...this.owned.keys()];
  }

  /** Renews now: partitions may be free. */
  lookNow(): void {
    this.loop.wake();
  }

  private async round(): Promise<number> {
    const { clock, ttlMs } = this.options;
    // Counted from the beginning of the round, so a slow round does not delay the next renewal.
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

  /** Notes a renewal that began at `begun` and took place `at` on Postgres' clock. */
  private noteContact(begun: number, at: number): void {
    const { since, last, ahead } = this.contact;
    const seen = { least: at - this.options.clock.monotonic(), most: at - begun };
    const both = { least: Math.max(ahead.least, seen.least), most: Math.min(ahead.most, seen.most) };
    const hasGap = begun - last >= this.options.ttlMs * UNBROKEN;
    // A clock has jumped by more than the margin covers.
    const hasJump = both.least - both.most >= this.marginMs / 2;
    this.contact =
      hasGap || hasJump ? { since: begun, last: begun, ahead: seen } : { since, last: begun, ahead: both };
  }

  // After an outage of Postgres, or a jump of its clock, all leases have expired though their owners live and may have an attempt
  // to record. So we give the others the time of a lease to renew before we claim expired leases.
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
    // Ours in Postgres but unknown here: the answer to a claim was lost.
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
    for (const partition of free) this.dropLease(partition);
    await this.release();
    if (free.length < count) this.lookNow();
  }

  private dropLease(partition: number): void {
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
