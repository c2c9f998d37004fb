import type { Leases } from "../ownership/leases";
import { Ownership } from "../ownership/ownership";
import { Rebalancer } from "../ownership/rebalancer";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConsumer, StreamConsumerOptions } from "../stream/consumer";
import type { Control } from "../stream/control";
import { type Hint, withinLimit } from "../stream/hint";
import { HAND_OVER_MS } from "./pacer";
import type { Registry } from "./registry";
import { Sweeper, type SweeperOptions } from "./sweeper";

type Consumer = Pick<StreamConsumer, "start" | "stop" | "follow" | "isFollowing">;

export type DispatcherOptions = Readonly<{
  partitions: number;
  leases: Leases;
  leaseTtlMs: number;
  control: Pick<Control, "onRelease" | "onEndpointChanged" | "onMissed" | "notifyRelease">;
  createConsumer(handlers: Pick<StreamConsumerOptions, "onHint" | "onFollowing">): Consumer;
  findHeads: SweeperOptions["findHeads"];
  sweepIntervalMs: number;
  clock: Clock;
  log: Log;
  /** Creates the registry. It asks `mayActOn` before it reads or attempts. */
  createRegistry(mayActOn: (partition: number) => boolean): Registry;
  /** Called with all owned partitions after a change of them. */
  onOwned?(partitions: readonly number[]): void;
  /** Finishes interrupted deletions of endpoints. */
  cancelLeftovers(): Promise<void>;
}>;

const LEFTOVERS_EVERY_MS = 5_000;
/** Wait after a failed round of a loop. */
const RETRY_MS = 200;
const DRAIN_POLL_MS = 5;

/** Delivers for the partitions that it owns: reads their subjects, sweeps their queues, runs their actors. */
export class Dispatcher {
  private readonly registry: Registry;
  private readonly ownership: Ownership;
  private readonly hints: HintBuffer;
  private readonly consumer: Consumer;
  private readonly sweeper: Sweeper;
  private readonly loops: readonly Loop[];

  constructor(private readonly options: DispatcherOptions) {
    const mayActOn = (partition: number) => this.ownership.mayActOn(partition);
    this.registry = options.createRegistry(mayActOn);
    this.hints = new HintBuffer({ registry: this.registry, soon: (run) => options.clock.after(0, run) });
    this.consumer = options.createConsumer({
      onHint: (hint) => this.hints.add(hint),
      onFollowing: (partitions) => this.sweeper.sweepSoon(partitions),
    });
    this.ownership = this.createOwnership();
    this.sweeper = this.createSweeper();
    this.loops = [
      this.every(async () => this.registry.passivate(this.sweeper.everyMs)),
      this.every(async () => {
        await options.cancelLeftovers();
        return LEFTOVERS_EVERY_MS;
      }),
    ];
  }

  async start(): Promise<void> {
    const { control, leases, partitions } = this.options;
    await leases.prepare(partitions);
    control.onRelease(() => this.ownership.renewNow());
    control.onEndpointChanged((queue) => this.registry.endpointChanged(queue));
    control.onMissed(() => this.registry.noticesMissed());
    this.consumer.start();
    this.ownership.start();
    for (const each of [this.sweeper, ...this.loops]) each.start();
  }

  /** Finishes and records attempts under way, and releases each partition as soon as it has none, the others at the end. */
  async stop(drainMs: number): Promise<void> {
    // Not awaited yet, because a NATS server that does not answer must not delay the rest. Late hints find no partition.
    const stopped = [this.consumer, this.sweeper, ...this.loops].map((each) => each.stop());
    this.ownership.retire();
    await this.handOver(drainMs);
    await this.ownership.stop();
    for (const partition of this.ownership.partitions()) this.registry.close(partition);
    const unreleased = "could not release leases at shutdown: others take over when they expire";
    await this.options.leases
      .leave()
      .catch((error) => this.options.log.warn(describeError(error), unreleased));
    this.options.control.notifyRelease();
    await Promise.all(stopped);
  }

  /** Counts for metrics. */
  get figures(): { partitions: number; endpoints: number; due: number } {
    return {
      partitions: this.ownership.partitions().length,
      endpoints: this.registry.size,
      due: this.sweeper.due,
    };
  }

  owns(partition: number): boolean {
    return this.ownership.mayActOn(partition);
  }

  /** Accepts a hint from the intake of this process. Returns false if its partition is not active here. */
  offer(hint: Hint): boolean {
    if (!this.registry.isOpen(hint.partition)) return false;
    this.hints.add(hint);
    return true;
  }

  /**
   * Discards what actors know and sweeps, after Postgres was replaced. A promoted standby may lack the last commits: then
   * ended deliveries are pending again, and sequences are given out again.
   */
  reset(): void {
    this.registry.reset();
    this.sweeper.sweepSoon(this.ownership.partitions());
  }

  private createOwnership(): Ownership {
    const { leases, leaseTtlMs: ttlMs, clock, log, control } = this.options;
    const rebalancer = new Rebalancer({
      clock,
      drain: (partition) => this.drain(partition),
      resume: (partition) => this.resume(partition),
      holdSlowReceivers: (partition, isOn) => this.registry.holdSlowReceivers(partition, isOn),
    });
    return new Ownership({
      leases,
      ttlMs,
      clock,
      log,
      rebalancer,
      onGained: (partition) => this.begin(partition),
      onLost: (partition) => this.end(partition),
      onHeld: () => this.registry.noticesMissed(),
      onReleased: () => control.notifyRelease(),
    });
  }

  private createSweeper(): Sweeper {
    const { ownership, registry } = this;
    const { findHeads, clock, log, sweepIntervalMs: intervalMs } = this.options;
    const isFollowing = () => this.consumer.isFollowing;
    return new Sweeper({ findHeads, clock, log, ownership, registry, intervalMs, isFollowing });
  }

  // Sweeps once the partition's hints arrive, so that no delivery is missed in between. While NATS is away, sweeps at once.
  private begin(partition: number): void {
    this.registry.open(partition);
    this.options.onOwned?.(this.ownership.partitions());
    if (!this.consumer.follow(this.ownership.partitions())) this.sweeper.sweepSoon([partition]);
  }

  private end(partition: number): void {
    this.registry.close(partition);
    this.options.onOwned?.(this.ownership.partitions());
    this.consumer.follow(this.ownership.partitions());
  }

  private async drain(partition: number): Promise<boolean> {
    const { clock } = this.options;
    this.registry.drain(partition);
    const until = clock.monotonic() + HAND_OVER_MS;
    while (this.registry.actorsOf(partition) > 0) {
      if (clock.monotonic() >= until) return false;
      await sleep(clock, DRAIN_POLL_MS);
    }
    return true;
  }

  /** Stops new attempts. A receiver that hangs delays only its own partition. */
  private async handOver(withinMs: number): Promise<void> {
    const { clock, log } = this.options;
    const { ownership, registry } = this;
    for (const partition of ownership.partitions()) registry.drain(partition);
    const until = clock.monotonic() + withinMs;
    while (ownership.partitions().length > 0 && clock.monotonic() < until) {
      const drained = ownership.partitions().filter((partition) => registry.actorsOf(partition) === 0);
      if (drained.length === 0) await sleep(clock, DRAIN_POLL_MS);
      else
        await ownership.giveUp(drained).catch((error) => {
          log.debug(describeError(error), "could not release drained partitions yet");
          ownership.renewNow();
        });
    }
  }

  private resume(partition: number): void {
    this.registry.resume(partition);
    this.sweeper.sweepSoon([partition]);
  }

  private every(round: () => Promise<number>): Loop {
    const { clock, log } = this.options;
    return new Loop({
      clock,
      round,
      failed: (error) => {
        log.debug(describeError(error), "a round of the dispatcher failed; the next one follows");
        return RETRY_MS;
      },
    });
  }
}

export type HintBufferOptions = Readonly<{
  registry: Pick<Registry, "announce">;
  /** Runs `run` some milliseconds later. */
  soon(run: () => void): void;
}>;

/**
 * Collects hints for a moment and passes them to their actors in sequence. They come from the stream and from the intake of
 * this process, and the stream is slower. An actor that misses a sequence must read it from Postgres. If a hint is lost here,
 * the sweep finds its delivery.
 */
export class HintBuffer {
  private readonly arrived: Hint[] = [];

  constructor(private readonly options: HintBufferOptions) {}

  add(hint: Hint): void {
    this.arrived.push(withinLimit(hint));
    // Later, so that clients get their answers first.
    if (this.arrived.length === 1) this.options.soon(() => this.announce());
  }

  private announce(): void {
    const inOrder = this.arrived.splice(0).sort((a, b) => a.sequence - b.sequence);
    for (const hint of inOrder) this.options.registry.announce(hint);
  }
}
