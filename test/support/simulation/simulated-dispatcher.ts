import { Dispatcher } from "../../../src/dispatch/dispatcher";
import { Registry } from "../../../src/dispatch/registry";
import { sleep } from "../../../src/runtime/clock";
import { createLog } from "../../../src/runtime/log";
import type { Hint } from "../../../src/stream/hint";
import { type AttemptsAt, SimulatedAttempts } from "./attempts";
import type { Channel } from "./channel";
import type { Host } from "./host";
import type { LeaseTable } from "./lease-table";
import { SimulatedConsumer } from "./simulated-consumer";
import { SimulatedLeases } from "./simulated-leases";

const silent = createLog("silent");
const RECORDED_POLL_MS = 5;
const RECORD_MS = 5_000;

export type DispatcherAt = AttemptsAt & {
  partitions: number;
  channel: Channel;
  leaseTable: LeaseTable;
  ttlMs: number;
  sweepIntervalMs: number;
  passivateAfterMs: number;
};

/** Runs a dispatcher on a host, between a Postgres, a stream and receivers that fail. */
export class SimulatedDispatcher {
  readonly host: Host;
  private readonly dispatcher: Dispatcher;
  private readonly attempts: SimulatedAttempts;
  private mayActOn = (_partition: number) => false;
  private isStopped = false;

  constructor(private readonly at: DispatcherAt) {
    const { host, link, table, timeline, channel, broken, ttlMs } = at;
    this.host = host;
    this.attempts = new SimulatedAttempts(at);
    const onLeaving = () => {
      this.isStopped = true;
    };
    this.dispatcher = new Dispatcher({
      partitions: at.partitions,
      leases: new SimulatedLeases({ host, table: at.leaseTable, link, timeline, ttlMs, onLeaving }),
      // The flaw: a lease trusted for longer than Postgres keeps it.
      leaseTtlMs: broken === "trusts too long" ? 3 * ttlMs : ttlMs,
      control: {
        onRelease: (handle) => channel.onRelease(host, handle),
        onEndpointChanged: (handle) => channel.onEndpointChanged(host, handle),
        onMissed: (handle) => channel.onReturned(host, handle),
        notifyRelease: () => channel.notifyRelease(),
      },
      createConsumer: (handlers) => new SimulatedConsumer({ host, channel, ...handlers }),
      findHeads: (partitions, aheadMs) =>
        link.call(host, () => (broken === "never sweeps" ? [] : table.heads(partitions, aheadMs))),
      sweepIntervalMs: at.sweepIntervalMs,
      clock: host.clock,
      log: silent,
      createRegistry: (mayActOn) => this.createRegistry(mayActOn),
      cancelLeftovers: () => link.call(host, () => table.cancelLeftovers()),
    });
  }

  start(): void {
    this.dispatcher.start();
  }

  /** Finishes and records the attempts under way, then releases every partition. */
  async stop(drainMs: number): Promise<void> {
    const { timeline, witness } = this.at;
    const startedAt = timeline.now;
    await this.dispatcher.stop(drainMs);
    for (let i = 0; i < RECORD_MS && this.attempts.underWay > 0; i += RECORDED_POLL_MS) {
      await sleep(this.host.clock, RECORDED_POLL_MS);
    }
    const { underWay } = this.attempts;
    if (underWay === 0) return this.host.end();
    if (!this.host.wasDisturbed(startedAt, timeline.now, true)) {
      witness.violation(`${this.host.name} stops in good order with ${underWay} attempts under way`);
    }
    this.host.crash();
  }

  /** Returns true while it may act on a partition and is not suspended. */
  trusts(partition: number): boolean {
    return !this.isStopped && !this.host.isGone && this.mayActOn(partition);
  }

  /** Receives a delivery that an intake in the same process has accepted. */
  take(message: Hint): void {
    if (!this.isStopped && this.host.isRunning) this.dispatcher.offer(message);
  }

  get actors(): number {
    return this.dispatcher.figures.endpoints;
  }

  /** Returns what its actors hold in memory. */
  get atHand(): number {
    return this.at.memory.held;
  }

  private createRegistry(mayActOn: (partition: number) => boolean): Registry {
    const { attempts, at } = this;
    this.mayActOn = mayActOn;
    return new Registry({
      clock: at.host.clock,
      log: silent,
      mayActOn: (partition) => at.broken === "trusts for ever" || mayActOn(partition),
      memory: at.memory,
      backlog: attempts,
      attempts,
      recorder: attempts,
      // No attempt has to wait for a slot.
      dropUnwanted: () => {},
      passivateAfterMs: at.passivateAfterMs,
    });
  }
}
