import { HintBuffer } from "../../../src/dispatch/hint-buffer";
import { Registry } from "../../../src/dispatch/registry";
import { Ownership } from "../../../src/ownership/ownership";
import { Rebalancer } from "../../../src/ownership/rebalancer";
import { sleep } from "../../../src/runtime/clock";
import { createLog } from "../../../src/runtime/log";
import type { DeliveryMessage } from "../../../src/stream/message";
import { type AttemptsAt, SimulatedAttempts } from "./attempts";
import type { Channel } from "./channel";
import type { Host } from "./host";
import type { LeaseTable } from "./lease-table";
import { SimulatedLeases } from "./simulated-leases";

const silent = createLog("silent");
const SWEEP_WITHOUT_NATS_MS = 200;
const PASSIVATE_EVERY_MS = 250;
const DRAIN_POLL_MS = 5;
const RECORD_MS = 5_000;

export type DispatcherAt = AttemptsAt & {
  channel: Channel;
  leaseTable: LeaseTable;
  ttlMs: number;
  sweepIntervalMs: number;
  passivateAfterMs: number;
};

/** Hints are gathered for up to this long. */
const GATHER_MS = 5;

/** The real actors, registry and ownership on a host, wired as src/dispatch/dispatcher.ts does it. */
export class SimulatedDispatcher {
  readonly host: Host;
  readonly ownership: Ownership;
  private readonly registry: Registry;
  private readonly hints: HintBuffer;
  private readonly leases: SimulatedLeases;
  private readonly held = new Set<number>();
  private readonly stopping = new AbortController();
  private readonly attempts: SimulatedAttempts;
  private isStopped = false;

  constructor(private readonly at: DispatcherAt) {
    const { host, link, timeline, leaseTable: table, ttlMs, channel, broken } = at;
    this.host = host;
    this.leases = new SimulatedLeases({ host, table, link, timeline, ttlMs });
    this.attempts = new SimulatedAttempts(at);
    const { attempts } = this;
    const mayActOn = (partition: number) =>
      broken === "trusts for ever" || this.ownership.mayActOn(partition);
    this.registry = new Registry({
      clock: host.clock,
      log: silent,
      mayActOn,
      room: at.room,
      read: attempts.read.bind(attempts),
      attempt: attempts.attempt.bind(attempts),
      record: attempts.record.bind(attempts),
      // None has to wait for a place.
      dropUnwanted: () => {},
      passivateAfterMs: at.passivateAfterMs,
    });
    const soon = (run: () => void) => host.clock.after(at.random.between(0, GATHER_MS), run);
    this.hints = new HintBuffer({ registry: this.registry, soon });
    this.ownership = new Ownership({
      leases: this.leases,
      // A lease trusted for longer than Postgres keeps it.
      ttlMs: broken === "trusts too long" ? 3 * ttlMs : ttlMs,
      clock: host.clock,
      log: silent,
      onGained: (partition) => this.begin(partition),
      onLost: (partition) => this.abandon(partition),
      rebalancer: new Rebalancer({
        clock: host.clock,
        drain: (partition, withinMs) => this.drain(partition, withinMs),
        resume: (partition) => this.resume(partition),
        calm: (partition, isOn) => this.registry.calm(partition, isOn),
      }),
      onReleased: () => channel.announceRelease(),
    });
  }

  start(): void {
    const { channel, host } = this.at;
    channel.onRelease(host, () => this.ownership.lookNow());
    channel.onEndpointChanged(host, (partition, id) => this.registry.endpointChanged(partition, id));
    this.ownership.start();
    this.every(() => this.sweepAll());
    this.every(async () => {
      this.registry.passivate(0);
      return PASSIVATE_EVERY_MS;
    });
  }

  /** Finishes and records what is under way, then hands everything over. */
  async stop(drainMs: number): Promise<void> {
    const { timeline, witness, channel } = this.at;
    const startedAt = timeline.now;
    this.stopping.abort();
    this.ownership.retire();
    await Promise.all(this.ownership.partitions().map((partition) => this.drain(partition, drainMs)));
    await this.ownership.stop();
    for (const partition of this.ownership.partitions()) this.registry.close(partition);
    this.isStopped = true;
    await this.leases.leave().catch(() => {});
    channel.announceRelease();
    for (let i = 0; i < RECORD_MS && this.attempts.underWay > 0; i += DRAIN_POLL_MS) {
      await sleep(this.host.clock, DRAIN_POLL_MS);
    }
    const { underWay } = this.attempts;
    if (underWay === 0) return this.host.end();
    if (!this.host.wasDisturbed(startedAt, timeline.now, true)) {
      witness.violation(`${this.host.name} stops in good order with ${underWay} attempts under way`);
    }
    this.host.crash();
  }

  /** True while it may act on a partition, when it is not standing still. */
  trusts(partition: number): boolean {
    return !this.isStopped && !this.host.isGone && this.ownership.mayActOn(partition);
  }

  /** Takes a delivery that an intake in its process has accepted. */
  take(partition: number, message: DeliveryMessage): void {
    if (!this.isStopped && this.host.isRunning) this.hints.add(partition, message);
  }

  get actors(): number {
    return this.registry.size;
  }

  /** What its actors have at hand. */
  get atHand(): number {
    return this.at.room.held;
  }

  private begin(partition: number): void {
    if (this.held.has(partition)) {
      this.at.witness.violation(`${this.host.name} gains partition ${partition} a second time`);
    }
    this.at.witness.note(`${this.host.name} gains partition ${partition}`);
    this.registry.open(partition);
    this.held.add(partition);
    const { host, at } = this;
    const sweep = () => this.sweep([partition]).catch(() => {});
    if (at.channel.isAway) sweep();
    const onMessage = (message: DeliveryMessage) => this.hints.add(partition, message);
    at.channel.follow(partition, { host, onMessage }, sweep);
  }

  private abandon(partition: number): void {
    this.at.witness.note(`${this.host.name} loses partition ${partition}`);
    this.held.delete(partition);
    this.at.channel.leave(partition, this.host);
    this.registry.close(partition);
  }

  private async drain(partition: number, withinMs: number): Promise<boolean> {
    const { clock } = this.host;
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
    this.sweep([partition]).catch(() => {});
  }

  private async sweepAll(): Promise<number> {
    const { channel, sweepIntervalMs } = this.at;
    await this.sweep(this.ownership.partitions());
    return channel.isAway ? Math.min(SWEEP_WITHOUT_NATS_MS, sweepIntervalMs) : sweepIntervalMs;
  }

  private async sweep(partitions: readonly number[]): Promise<void> {
    const { link, table, sweepIntervalMs, broken } = this.at;
    if (broken === "never sweeps") return;
    const heads = await link.call(this.host, () => table.heads(partitions, sweepIntervalMs));
    for (const { partition, endpointId, lastSequence } of heads) {
      if (this.ownership.mayActOn(partition))
        this.registry.wake(partition, endpointId, lastSequence, sweepIntervalMs);
    }
  }

  private async every(task: () => Promise<number>): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const wait = await task().catch(() => SWEEP_WITHOUT_NATS_MS);
      await sleep(this.host.clock, wait, this.stopping.signal);
    }
  }
}
