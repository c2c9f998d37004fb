import type { Ownership } from "../ownership/ownership";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { Head } from "./heads";
import type { Registry } from "./registry";

export type SweeperOptions = Readonly<{
  /** Finds the endpoints of partitions that have work now, or in less than `aheadMs`. */
  findHeads(partitions: readonly number[], aheadMs: number): Promise<Head[]>;
  clock: Clock;
  log: Log;
  ownership: Pick<Ownership, "partitions" | "mayActOn">;
  registry: Pick<Registry, "wake">;
  intervalMs: number;
  /** Returns true while the hints of all partitions arrive. */
  isFollowing(): boolean;
}>;

/** Interval while no hints arrive from NATS, and after a failed sweep. */
const WITHOUT_NATS_MS = 200;
/** Sweeps take at most this share of the time, however many endpoints have work. */
const SWEEP_SHARE = 0.1;
/** Number of partitions in one statement. */
const AT_ONCE = 16;

/**
 * Finds endpoints with work in Postgres, again and again. This one sweep serves take-overs, lost hints and outages of NATS.
 */
export class Sweeper {
  private readonly loop: Loop;
  /** Partitions to sweep before the next round. */
  private readonly unswept: number[] = [];
  /** Duration of the last sweep of all partitions. */
  private tookMs = 0;
  /** Endpoints with work in the last sweep of all partitions. */
  private found = 0;
  private waitsMs: number;

  constructor(private readonly options: SweeperOptions) {
    const { clock, intervalMs } = options;
    this.waitsMs = intervalMs;
    this.loop = new Loop({
      clock,
      round: () => this.sweepAll(),
      failed: (error) => {
        this.noteFailure(error);
        return WITHOUT_NATS_MS;
      },
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Milliseconds between sweeps. Each sweep looks this far ahead. */
  get everyMs(): number {
    return this.waitsMs;
  }

  /** Number of endpoints that had work when all partitions were last swept. */
  get due(): number {
    return this.found;
  }

  /** Sweeps partitions whose hints may have been missed. All calls of one turn share a sweep. */
  sweepSoon(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    this.unswept.push(...partitions);
    if (this.unswept.length > partitions.length) return;
    this.options.clock.after(0, () => {
      this.sweepInTurn(this.unswept.splice(0)).catch((error) => this.noteFailure(error));
    });
  }

  private async sweepAll(): Promise<number> {
    const { clock, ownership, intervalMs, isFollowing } = this.options;
    const startedAt = clock.monotonic();
    this.found = await this.sweepInTurn(ownership.partitions());
    const before = this.tookMs;
    this.tookMs = clock.monotonic() - startedAt;
    const interval = isFollowing() ? intervalMs : Math.min(WITHOUT_NATS_MS, intervalMs);
    const wait = waitAfterSweep(interval, this.tookMs, before);
    this.waitsMs = Math.max(wait, intervalMs);
    return wait;
  }

  /** Sweeps some partitions at a time. Resolves to the number of endpoints with work. */
  private async sweepInTurn(partitions: readonly number[]): Promise<number> {
    let found = 0;
    for (let i = 0; i < partitions.length; i += AT_ONCE) {
      found += await this.sweep(partitions.slice(i, i + AT_ONCE));
    }
    return found;
  }

  private async sweep(partitions: readonly number[]): Promise<number> {
    const { findHeads, ownership, registry } = this.options;
    const heads = await findHeads(partitions, this.everyMs);
    for (const { partition, endpointId, lastSequence } of heads) {
      if (ownership.mayActOn(partition)) registry.wake(partition, endpointId, lastSequence, this.everyMs);
    }
    return heads.length;
  }

  private noteFailure(error: unknown): void {
    this.options.log.debug(
      describeError(error),
      "a sweep for endpoints with work failed; the next one follows",
    );
  }
}

/**
 * Returns how many milliseconds to wait after a sweep. The faster of the last two sweeps counts: a single slow sweep means
 * that Postgres stalled, not that there is more work.
 */
export function waitAfterSweep(intervalMs: number, tookMs: number, beforeMs: number): number {
  const work = Math.min(tookMs, beforeMs);
  return Math.max(intervalMs, work / SWEEP_SHARE - work);
}
