import type { Clock } from "../runtime/clock";

export type RebalancerOptions = Readonly<{
  clock: Clock;
  /** Stops new attempts of the partition. Resolves with true once none is under way, with false if that takes too long. */
  drain(partition: number): Promise<boolean>;
  /** Restarts a partition that could not be drained. */
  resume(partition: number): void;
  /** Starts or ends calming: while it is on, the partition's slow and failing receivers get no new attempts. */
  calm(partition: number, isOn: boolean): void;
}>;

/** Most partitions drained at the same time. */
const MAX_DRAINING = 8;
/**
 * The wait after a round that freed no partition, doubled each time. A round without success stops the healthy endpoints of its
 * partitions for nothing.
 */
const RETRY_MS = { first: 2_000, most: 60_000 };
/** Slow and failing receivers are held back for at most this long. Attempts usually end within a minute. */
const CALM_MS = 120_000;

/**
 * Chooses which partitions go to other dispatchers, and when. It drains a partition first, which takes as long as the slowest
 * attempt under way. If receivers hang in every partition, no partition ever drains. So after a round without success it calms
 * some partitions: their slow and failing receivers get no new attempts until the old ones have ended.
 */
export class Rebalancer {
  /** Partitions that could not be drained, in the order of the last try. */
  private readonly undrained = new Set<number>();
  private readonly calmed = new Set<number>();
  private calmSince = Number.POSITIVE_INFINITY;
  private again = { at: Number.NEGATIVE_INFINITY, afterMs: RETRY_MS.first };
  private isStopped = false;

  constructor(private readonly options: RebalancerOptions) {}

  /** Drains up to `count` of the partitions and resolves with the drained ones. The others continue to send. */
  async free(partitions: readonly number[], count: number): Promise<number[]> {
    const { clock, drain } = this.options;
    const now = clock.monotonic();
    if (now - this.calmSince >= CALM_MS) this.endCalm();
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

  /** Forgets earlier tries and ends calming. Call this when no partition has to go. */
  end(): void {
    this.endCalm();
    this.undrained.clear();
    this.again = { at: Number.NEGATIVE_INFINITY, afterMs: RETRY_MS.first };
  }

  /** Prepares for the shutdown: from now on, partitions that could not be drained are not restarted. */
  stop(): void {
    this.isStopped = true;
  }

  // Calmed partitions first, since their attempts are ending; partitions tried without success last.
  private inTurn(partitions: readonly number[]): number[] {
    const others = partitions.filter((each) => !this.calmed.has(each) && !this.undrained.has(each));
    const later = [...this.undrained].filter((each) => !this.calmed.has(each) && partitions.includes(each));
    return [...partitions.filter((each) => this.calmed.has(each)), ...others, ...later];
  }

  private forget(partition: number): void {
    this.calmed.delete(partition);
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
