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
  /** Called when this process has got the partition. */
  onGained(partition: number): void;
  /** Called when this process has lost the partition. It must stop sending for it at once. */
  onLost(partition: number): void;
  rebalancer: Rebalancer;
  /** Called before a lease is trusted again if endpoints may be held since the renewal before: nobody may send to them then. */
  onHeld(): void;
  /** Called after partitions were released: other processes can claim them now. */
  onReleased(): void;
}>;

/**
 * Renewals that follow each other within this share of a lease count as unbroken contact with Postgres. Less than half: when an
 * outage begins, an owner's last renewal may be a third of a lease old, and its first renewal after the outage may fail.
 */
const UNBROKEN_SHARE = 0.45;
/** The failure in a row that the log warns of: a busy machine is often late once. */
const WARN_AT = 2;
/** A failed renewal is tried again after this time. */
const RETRY_MS = 250;

/** A series of renewals without a gap between them and without a jump of a clock. */
type Contact = Readonly<{
  /** When the first and the last renewal began, on our monotonic clock, in milliseconds. */
  since: number;
  last: number;
  /** Bounds on how far Postgres' clock is ahead of our monotonic clock, in milliseconds, from all renewals. */
  ahead: Readonly<{ least: number; most: number }>;
}>;

const NO_CONTACT: Contact = {
  since: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
  ahead: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
};

/**
 * Keeps track of the partitions that this process owns. It trusts a lease by its own clocks, from before the request for it
 * until a margin before Postgres lets it expire. So two processes never trust the same lease at the same time, whatever their
 * clocks are set to and however long either was suspended.
 */
export class Ownership {
  private readonly owned = new Map<number, Lease>();
  /** Leases that this process gave up, though Postgres may still show them as ours. Their terms are never trusted again. */
  private readonly released = new Map<number, Lease>();
  /** The end of trust, in milliseconds on both clocks: the monotonic clock stops while a machine is suspended, leases do not. */
  private trustedUntil = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  private retired = false;
  private contact = NO_CONTACT;
  private heldUntil: number | null = null;
  private readonly outage: Outage;
  private readonly loop: Loop;

  constructor(private readonly options: OwnershipOptions) {
    const words = {
      begun: "could not renew leases; trying again: when they expire, this dispatcher stops sending",
      over: "leases are renewed again",
    };
    this.outage = new Outage(options.log, words, WARN_AT);
    this.loop = new Loop({
      clock: options.clock,
      round: () => this.round(),
      failed: (error) => this.failed(error),
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Stops claiming partitions, and notifies the other dispatchers. This process keeps its partitions until `giveUp`. */
  retire(): void {
    this.retired = true;
    this.options.rebalancer.stop();
    this.renewNow();
  }

  /** Gives up partitions without attempts under way, so that others can claim them at once. */
  async giveUp(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) this.dropLease(partition);
    await this.release();
  }

  /** Ends the renewals. The leases last until `leases.leave()` or their expiry. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** True while this process owns the partition beyond doubt. */
  mayActOn(partition: number): boolean {
    const { clock } = this.options;
    const { monotonic, wall } = this.trustedUntil;
    return this.owned.has(partition) && clock.monotonic() < monotonic && clock.now() < wall;
  }

  partitions(): number[] {
    return [...this.owned.keys()];
  }

  /** Renews now instead of at the next round, because partitions may be free. */
  renewNow(): void {
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
    const { leases, share, at, heldUntil } = await this.options.leases.renew(this.retired);
    if (heldUntil !== this.heldUntil) this.options.onHeld();
    this.heldUntil = heldUntil;
    this.noteContact(begun, at);
    this.trust(begun, begunWall);
    this.keepOnly(leases);
    if (this.released.size > 0) await this.release();
    if (this.retired) return;
    if (this.owned.size > share) return this.shrink(this.owned.size - share);
    this.options.rebalancer.end();
    if (this.owned.size < share)
      await this.claim(share - this.owned.size, this.knowsLiveOwners(begun) ? at : null);
  }

  /** Adds a renewal to the contact. It began at `begun` on our monotonic clock and took place `at` on Postgres' clock. */
  private noteContact(begun: number, at: number): void {
    const { since, last, ahead } = this.contact;
    const seen = { least: at - this.options.clock.monotonic(), most: at - begun };
    const both = { least: Math.max(ahead.least, seen.least), most: Math.min(ahead.most, seen.most) };
    const hasGap = begun - last >= this.options.ttlMs * UNBROKEN_SHARE;
    // A clock has jumped by more than the margin covers.
    const hasJump = both.least - both.most >= this.marginMs / 2;
    this.contact =
      hasGap || hasJump ? { since: begun, last: begun, ahead: seen } : { since, last: begun, ahead: both };
  }

  // True once contact has lasted for a lease: then every living owner has renewed. After an outage of Postgres or a jump of its
  // clock all leases have expired, though their owners live and may have an attempt to record.
  private knowsLiveOwners(now: number): boolean {
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
    // Postgres shows this lease as ours, but it is unknown here: the answer to our claim was lost.
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

  private async shrink(count: number): Promise<void> {
    const free = await this.options.rebalancer.free(this.partitions(), count);
    if (free.length === 0) return;
    await this.giveUp(free);
    if (free.length < count) this.renewNow();
  }

  private dropLease(partition: number): void {
    const lease = this.owned.get(partition);
    if (!lease) return;
    this.owned.delete(partition);
    this.released.set(partition, lease);
    this.options.onLost(partition);
  }

  private async release(): Promise<void> {
    const released = [...this.released];
    await this.options.leases.release(released.map(([, lease]) => lease));
    // Others may have been added meanwhile.
    for (const [partition, lease] of released)
      if (this.released.get(partition) === lease) this.released.delete(partition);
    this.options.onReleased();
  }
}
