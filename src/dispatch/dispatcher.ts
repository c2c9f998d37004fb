import type { Database } from "../db/database";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConnection } from "../stream/connection";
import { StreamConsumer } from "../stream/consumer";
import type { Control } from "../stream/control";
import type { DeliveryMessage } from "../stream/message";
import { partitionOf } from "../stream/partition";
import type { Topology } from "../stream/topology";
import { Arrivals } from "./arrivals";
import { HandOver } from "./hand-over";
import { Leases } from "./lease";
import { Ownership } from "./ownership";
import type { Registry } from "./registry";
import { findHeads, type Head } from "./sweep";
import { waitAfterSweep } from "./sweep-pace";

export type DispatcherOptions = Readonly<{
  id: string;
  db: Database;
  connection: StreamConnection;
  control: Control;
  topology: Topology;
  clock: Clock;
  log: Log;
  leaseTtlMs: number;
  sweepIntervalMs: number;
  /** See `longestWait`. */
  longestWaitMs: number;
  /** Whether there is more work than cores: then what arrives is told late and together. */
  isContended(): boolean;
  /** Builds the registry; it asks whether a partition may be acted on. */
  createRegistry(mayActOn: (partition: number) => boolean): Registry;
  /** Ends what deletions of endpoints left unfinished. */
  cancelLeftovers(): Promise<void>;
}>;

/**
 * What arrives within this time, while cores are contended, is told together. With what APIs and the recorder gather it lets
 * two APIs and two dispatchers on two cores deliver a twentieth more (measured; no more than that with 10 or 20 ms).
 */
const GATHER_MS = 5;
/** While NATS is away the sweep is all there is, so it comes this often. */
const SWEEP_WITHOUT_NATS_MS = 200;
/** Partitions looked through by one statement. */
const SWEEP_PARTITIONS = 16;
const PASSIVATE_EVERY_MS = 2_000;
/** The same while there are too many actors: thousands may come within a second. */
const PASSIVATE_OFTEN_MS = 500;
const LEFTOVERS_EVERY_MS = 5_000;
const DRAIN_POLL_MS = 5;
/** By then those who accept know of a new owner, as a rule: what they told the former one is swept up, milliseconds. */
const KNOWN_AFTER_MS = 250;

/** Delivers for the partitions that are ours: follows its messages, sweeps their queues, keeps their actors. */
export class Dispatcher {
  private readonly registry: Registry;
  private readonly ownership: Ownership;
  private readonly arrivals: Arrivals;
  private readonly leases: Leases;
  private readonly unswept: number[] = [];
  private readonly consumer: StreamConsumer;
  private readonly stopping = new AbortController();
  private readonly loops: readonly Loop[];
  /** How long the last sweep took. */
  private lastSweepMs = 0;
  /** Endpoints with work that it found. */
  private lastHeads = 0;
  /** From the end of a sweep to the beginning of the next; it looks so far ahead. */
  private sweepEveryMs: number;

  constructor(private readonly options: DispatcherOptions) {
    const { id, db, connection, topology, leaseTtlMs, clock, log, control } = options;
    this.sweepEveryMs = options.sweepIntervalMs;
    const mayActOn = (partition: number) => this.ownership.mayActOn(partition);
    this.registry = options.createRegistry(mayActOn);
    this.arrivals = new Arrivals({ registry: this.registry, mayActOn, soon: (run) => this.soon(run) });
    this.consumer = new StreamConsumer(id, {
      connection,
      topology,
      clock,
      log,
      onMessage: (message) =>
        this.arrivals.hear(partitionOf(message.endpointId, topology.partitions), message),
      onFollowing: () => this.sweepSoon(this.ownership.partitions()),
    });
    this.leases = new Leases(db, id, leaseTtlMs);
    this.ownership = new Ownership({
      leases: this.leases,
      ttlMs: leaseTtlMs,
      clock,
      log,
      onGained: (partition) => this.begin(partition),
      onLost: (partition) => this.registry.close(partition),
      handOver: new HandOver({
        clock,
        drain: (partition, withinMs) => this.drain(partition, withinMs),
        resume: (partition) => this.resume(partition),
        calm: (partition, isOn) => this.registry.calm(partition, isOn),
      }),
      onReleased: () => control.announceRelease(),
    });
    this.loops = [
      this.every(() => this.sweepAll()),
      this.every(async () => {
        this.registry.passivate(this.sweepEveryMs);
        return this.registry.isCrowded ? PASSIVATE_OFTEN_MS : PASSIVATE_EVERY_MS;
      }),
      this.every(async () => {
        await this.options.cancelLeftovers();
        return LEFTOVERS_EVERY_MS;
      }),
    ];
  }

  async start(): Promise<void> {
    const { control, db, topology } = this.options;
    await this.leases.prepare(topology.partitions);
    db.onReplaced = () => this.beginAnew();
    control.onRelease(() => this.ownership.lookNow());
    control.onEndpointChanged((partition, endpointId) =>
      this.registry.endpointChanged(partition, endpointId),
    );
    this.consumer.start();
    this.ownership.start();
    for (const loop of this.loops) loop.start();
  }

  /** Finishes and records what is under way, then hands everything over. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    // A NATS that does not answer holds up nothing else: whatever may still come of this finds no partition.
    const stopped = [this.consumer, ...this.loops].map((each) => each.stop());
    this.ownership.retire();
    await Promise.all(this.ownership.partitions().map((partition) => this.drain(partition, drainMs)));
    await this.ownership.stop();
    for (const partition of this.ownership.partitions()) this.registry.close(partition);
    await this.leases.leave().catch((error) => this.options.log.warn(describeError(error), "leases run out"));
    this.options.control.announceRelease();
    await Promise.all(stopped);
  }

  /** What is ours, and what of it has work. */
  get figures(): { partitions: number; endpoints: number; due: number } {
    return {
      partitions: this.ownership.partitions().length,
      endpoints: this.registry.size,
      due: this.lastHeads,
    };
  }

  /** Takes what this very process has accepted; false when another one is to be told of it. */
  take(partition: number, message: DeliveryMessage): boolean {
    return this.arrivals.take(partition, message);
  }

  private soon(run: () => void): void {
    const { isContended, clock } = this.options;
    if (isContended()) clock.after(GATHER_MS, run);
    else setImmediate(run);
  }

  private begin(partition: number): void {
    this.registry.open(partition);
    this.sweepSoon([partition]);
  }

  // Without its last commits Postgres has pending again what has ended here, and gives numbers again.
  private beginAnew(): void {
    this.registry.beginAnew();
    this.sweepSoon(this.ownership.partitions());
  }

  // Partitions that are gained together are swept together.
  private sweepSoon(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    this.unswept.push(...partitions);
    if (this.unswept.length > partitions.length) return;
    setImmediate(() => {
      this.options.control.announceClaim();
      this.sweepTwice(this.unswept.splice(0)).catch((error) =>
        this.options.log.debug(describeError(error), "a sweep failed"),
      );
    });
  }

  private async sweepTwice(partitions: readonly number[]): Promise<void> {
    await this.sweepInTurn(partitions);
    await sleep(this.options.clock, KNOWN_AFTER_MS, this.stopping.signal);
    await this.sweepInTurn(partitions);
  }

  private async drain(partition: number, withinMs: number): Promise<boolean> {
    const { clock } = this.options;
    this.registry.drain(partition);
    const until = clock.monotonic() + withinMs;
    while (this.registry.actorsOf(partition) > 0) {
      if (clock.monotonic() >= until) return false;
      await sleep(clock, DRAIN_POLL_MS);
    }
    return true;
  }

  private resume(partition: number): void {
    this.registry.resume(partition);
    this.sweepSoon([partition]);
  }

  // This one sweep is takeover, recovery from lost messages, and operation without NATS.
  private async sweepAll(): Promise<number> {
    const { clock, sweepIntervalMs } = this.options;
    const startedAt = clock.monotonic();
    this.lastHeads = await this.sweepInTurn(this.ownership.partitions());
    const took = clock.monotonic() - startedAt;
    const before = this.lastSweepMs;
    this.lastSweepMs = took;
    const { isFollowing } = this.consumer;
    const interval = isFollowing ? sweepIntervalMs : Math.min(SWEEP_WITHOUT_NATS_MS, sweepIntervalMs);
    const wait = waitAfterSweep(interval, took, before);
    this.sweepEveryMs = Math.max(wait, sweepIntervalMs);
    return wait;
  }

  /** Resolves with how many endpoints have work. */
  private async sweepInTurn(partitions: readonly number[]): Promise<number> {
    let found = 0;
    for (let i = 0; i < partitions.length; i += SWEEP_PARTITIONS) {
      found += await this.sweep(partitions.slice(i, i + SWEEP_PARTITIONS));
    }
    return found;
  }

  private async sweep(partitions: readonly number[]): Promise<number> {
    const { db, longestWaitMs } = this.options;
    const heads = await db.run((sql) =>
      findHeads(sql, partitions, { aheadMs: this.sweepEveryMs, longestWaitMs }),
    );
    for (const head of heads) this.wake(head);
    return heads.length;
  }

  private wake({ partition, endpointId, lastSequence }: Head): void {
    if (!this.ownership.mayActOn(partition)) return;
    this.registry.wake(partition, endpointId, lastSequence, this.sweepEveryMs);
  }

  private every(round: () => Promise<number>): Loop {
    const { clock, log } = this.options;
    return new Loop({
      clock,
      round,
      failed: (error) => {
        log.debug(describeError(error), "a round of the dispatcher failed");
        return SWEEP_WITHOUT_NATS_MS;
      },
    });
  }
}
