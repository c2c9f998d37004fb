import type { Clock } from "../runtime/clock";

export type RebalancerOptions = Readonly<{
  clock: Clock;
  /** Resolves to true when nothing of the partition is under way any more; false: not within the time. */
  drain(partition: number, withinMs: number): Promise<boolean>;
  /** It was drained in vain and stays ours. */
  resume(partition: number): void;
  /** While it is on, receivers of the partition that are slow or fail are sent nothing new. */
  calm(partition: number, isOn: boolean): void;
}>;

/** How long a partition may stand still for being handed over; one that can't is tried again later, milliseconds. */
export const HAND_OVER_MS = 400;
/** Partitions drained at the same time. */
const AT_ONCE = 8;
/**
 * The wait after a round that freed none, milliseconds, doubling from one to the next: in each round the healthy endpoints of
 * its partitions stand still for nothing.
 */
const AGAIN_MS = { first: 2_000, most: 60_000 };
/** For how long slow and failing receivers wait at most: attempts take a minute at most, as a rule, and then end. */
const CALM_MS = 120_000;

/**
 * Which of our partitions go to others, and when. Each is drained first, which takes as long as the slowest attempt under
 * way: where receivers hang in all of them, as in an outage, those have to wait, so that at some time none is under way.
 */
export class Rebalancer {
  /** Those tried last without success, the latest last. */
  private readonly inVain = new Set<number>();
  private readonly calmed = new Set<number>();
  private calmSince = Number.POSITIVE_INFINITY;
  private again = { at: Number.NEGATIVE_INFINITY, afterMs: AGAIN_MS.first };
  private isStopped = false;

  constructor(private readonly options: RebalancerOptions) {}

  /** Drains some of the partitions, of which so many are to go; resolves with those that can. The others are at work. */
  async free(partitions: readonly number[], count: number): Promise<number[]> {
    const { clock, drain } = this.options;
    const now = clock.monotonic();
    if (now - this.calmSince >= CALM_MS) this.endCalm();
    if (now < this.again.at) return [];
    const inTurn = this.inTurn(partitions);
    const tried = inTurn.slice(0, Math.min(count, AT_ONCE));
    const isFree = await Promise.all(tried.map((partition) => drain(partition, HAND_OVER_MS)));
    const free = tried.filter((_, i) => isFree[i]);
    for (const partition of free) this.forget(partition);
    for (const partition of tried.filter((_, i) => !isFree[i])) this.putBack(partition);
    if (free.length > 0) this.again = { at: Number.NEGATIVE_INFINITY, afterMs: AGAIN_MS.first };
    else this.wait(inTurn.slice(0, count));
    return free;
  }

  /** None is to go, or no longer. */
  end(): void {
    this.endCalm();
    this.inVain.clear();
    this.again = { at: Number.NEGATIVE_INFINITY, afterMs: AGAIN_MS.first };
  }

  /** Sets nothing to work again any more. */
  stop(): void {
    this.isStopped = true;
  }

  // Those that come to rest first; those tried in vain last, so that others are tried before.
  private inTurn(partitions: readonly number[]): number[] {
    const others = partitions.filter((each) => !this.calmed.has(each) && !this.inVain.has(each));
    const later = [...this.inVain].filter((each) => !this.calmed.has(each) && partitions.includes(each));
    return [...partitions.filter((each) => this.calmed.has(each)), ...others, ...later];
  }

  private forget(partition: number): void {
    this.calmed.delete(partition);
    this.inVain.delete(partition);
  }

  private putBack(partition: number): void {
    this.inVain.delete(partition);
    this.inVain.add(partition);
    if (!this.isStopped) this.options.resume(partition);
  }

  private wait(next: readonly number[]): void {
    const now = this.options.clock.monotonic();
    const { afterMs } = this.again;
    this.again = { at: now + afterMs, afterMs: Math.min(afterMs * 2, AGAIN_MS.most) };
    if (!next.some((each) => this.calmed.has(each))) this.calm(next, now);
  }

  private calm(partitions: readonly number[], now: number): void {
    this.calmSince = now;
    for (const partition of partitions) {
      this.calmed.add(partition);
      this.options.calm(partition, true);
    }
  }

  private endCalm(): void {
    for (const partition of this.calmed) this.options.calm(partition, false);
    this.calmed.clear();
  }
}
