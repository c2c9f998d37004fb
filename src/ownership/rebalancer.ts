import type { Clock } from "../runtime/clock";

export type RebalancerOptions = Readonly<{
  clock: Clock;
  /** Stops new attempts of the partition. Resolves with true once none is under way, with false if that takes too long. */
  drain(partition: number): Promise<boolean>;
  /** Restarts a partition that could not be drained. */
  resume(partition: number): void;
  /** While on, slow and failing receivers of the partition get no new attempts. */
  holdSlowReceivers(partition: number, isOn: boolean): void;
}>;

/** Most partitions drained at the same time. */
const MAX_DRAINING = 8;
/**
 * The wait after a round that freed no partition, doubled each time. A round without success stops the healthy endpoints of its
 * partitions for nothing.
 */
const RETRY_MS = { first: 2_000, most: 60_000 };
/** Slow and failing receivers are held back for at most this long. Attempts usually end within a minute. */
const HOLD_MS = 120_000;

/**
 * Chooses which partitions go to other dispatchers, and when. It drains a partition first, which takes as long as the slowest
 * attempt under way. If receivers hang in every partition, no partition ever drains. So after a round without success it holds
 * the slow and failing receivers of some partitions: they get no new attempts until the old ones have ended.
 */
export class Rebalancer {
  /** Partitions that could not be drained, in the order of the last try. */
  private readonly undrained = new Set<number>();
  /** Partitions whose slow and failing receivers are held. */
  private readonly slowHeld = new Set<number>();
  private heldSince = Number.POSITIVE_INFINITY;
  private again = { at: Number.NEGATIVE_INFINITY, afterMs: RETRY_MS.first };
  private isStopped = false;

  constructor(private readonly options: RebalancerOptions) {}

  /** Drains up to `count` of the partitions and resolves with the drained ones. The others continue to send. */
  async free(partitions: readonly number[], count: number): Promise<number[]> {
    const { clock, drain } = this.options;
    const now = clock.monotonic();
    if (now - this.heldSince >= HOLD_MS) this.releaseSlow();
    if (now < this.again.at) return [];
    const inTurn = this.inTurn(partitions);
    const tried = inTurn.slice(0, Math.min(count, MAX_DRAINING));
    const isFree = await Promise.all(tried.map((partition) => drain(partition)));
    const free = tried.filter((_, i) => isFree[i]);
    for (const partition of free) this.forget(partition);
    for (const partition of tried.filter((_, i) => !isFree[i])) this.putBack(partition);
    if (free.length > 0) this.again = { at: Number.NEGATIVE_INFINITY, afterMs: RETRY_MS.first };
    else this.wait(inTurn.slice(0, count));
    return free;
  }

  /** Forgets earlier tries and holds no receivers. Call this when no partition has to go. */
  end(): void {
    this.releaseSlow();
    this.undrained.clear();
    this.again = { at: Number.NEGATIVE_INFINITY, afterMs: RETRY_MS.first };
  }

  /** Prepares for the shutdown: from now on, partitions that could not be drained are not restarted. */
  stop(): void {
    this.isStopped = true;
  }

  // Partitions whose slow receivers are held come first, since their attempts are ending; those tried without success last.
  private inTurn(partitions: readonly number[]): number[] {
    const others = partitions.filter((each) => !this.slowHeld.has(each) && !this.undrained.has(each));
    const later = [...this.undrained].filter((each) => !this.slowHeld.has(each) && partitions.includes(each));
    return [...partitions.filter((each) => this.slowHeld.has(each)), ...others, ...later];
  }

  private forget(partition: number): void {
    this.slowHeld.delete(partition);
    this.undrained.delete(partition);
  }

  private putBack(partition: number): void {
    this.undrained.delete(partition);
    this.undrained.add(partition);
    if (!this.isStopped) this.options.resume(partition);
  }

  private wait(next: readonly number[]): void {
    const now = this.options.clock.monotonic();
    const { afterMs } = this.again;
    this.again = { at: now + afterMs, afterMs: Math.min(afterMs * 2, RETRY_MS.most) };
    if (!next.some((each) => this.slowHeld.has(each))) this.holdSlow(next, now);
  }

  private holdSlow(partitions: readonly number[], now: number): void {
    this.heldSince = now;
    for (const partition of partitions) {
      this.slowHeld.add(partition);
      this.options.holdSlowReceivers(partition, true);
    }
  }

  private releaseSlow(): void {
    for (const partition of this.slowHeld) this.options.holdSlowReceivers(partition, false);
    this.slowHeld.clear();
  }
}
