import type { Ownership } from "../ownership/ownership";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { Registry } from "./registry";
import type { Head } from "./sweep";

export type SweeperOptions = Readonly<{
  /** Finds the endpoints of partitions that have work now, or in less than `aheadMs`. */
  findHeads(partitions: readonly number[], aheadMs: number): Promise<Head[]>;
  clock: Clock;
  log: Log;
  ownership: Pick<Ownership, "partitions" | "mayActOn">;
  registry: Pick<Registry, "wake">;
  intervalMs: number;
  /** Whether the messages of all partitions come from NATS. */
  isFollowing(): boolean;
}>;

/** Sweeps this often while no messages come from NATS, and after a sweep that failed. */
const WITHOUT_NATS_MS = 200;
/** A sweep may take this share of the time, however many endpoints have work. */
const SWEEP_SHARE = 0.1;
/** Partitions in one statement. */
const AT_ONCE = 16;

/**
 * Finds endpoints with work in the queues of our partitions, over and over. This one sweep does take-over, recovery of lost
 * messages, and all of the work without NATS.
 */
export class Sweeper {
  private readonly loop: Loop;
  /** Partitions to sweep out of turn. */
  private readonly unswept: number[] = [];
  /** How long the last sweep of all took. */
  private tookMs = 0;
  /** Endpoints with work in the last sweep of all. */
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

  /** The wait between sweeps, milliseconds. Each sweep looks this far ahead. */
  get everyMs(): number {
    return this.waitsMs;
  }

  /** Endpoints that had work when all partitions were last swept. */
  get due(): number {
    return this.found;
  }

  /** Sweeps partitions whose messages may have been missed. All calls of one turn share a sweep. */
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

  /** Resolves with how many endpoints have work. */
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
    this.options.log.debug(describeError(error), "a sweep failed; the next one follows");
  }
}

/**
 * How long to wait after a sweep, milliseconds. The faster of the last two counts: a single slow sweep means that Postgres stood
 * still, not that there is more work.
 */
export function waitAfterSweep(intervalMs: number, tookMs: number, beforeMs: number): number {
  const work = Math.min(tookMs, beforeMs);
  return Math.max(intervalMs, work / SWEEP_SHARE - work);
}
