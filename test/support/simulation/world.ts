import type { OrderingSettings } from "../../../src/dispatch/lane/lane-state";
import type { EndpointId } from "../../../src/domain/ids";
import { partitionOf } from "../../../src/domain/partition";
import type { Ordering } from "../../../src/domain/tuning";
import { Budget } from "../../../src/runtime/budget";
import type { Flaw } from "./attempts";
import { Channel, noChannelFaults } from "./channel";
import { checkEnd } from "./end";
import { Host } from "./host";
import { LeaseTable } from "./lease-table";
import { noLinkFaults, PostgresLink } from "./postgres-link";
import { type EndpointRow, QueueTable } from "./queue-table";
import { Random } from "./random";
import { Receiver } from "./receiver";
import {
  COMMON_TROUBLE,
  drawScenario,
  type Fate,
  type Happening,
  type Scenario,
  type Trouble,
} from "./scenario";
import { SimulatedDispatcher } from "./simulated-dispatcher";
import { Timeline } from "./timeline";
import { Witness } from "./witness";

export type SimulationOptions = {
  /** Kinds of trouble that may occur. */
  trouble?: readonly Trouble[];
  countsOutage?: boolean;
  /** A flaw put in on purpose. */
  broken?: Flaw | null;
  isTracing?: boolean;
};

/** The result of a run. */
export type Run = {
  seed: number;
  violations: readonly string[];
  trace: readonly string[];
  attempts: number;
  repeats: number;
  accepted: number;
};

const KEYS = [null, null, "a", "b", "c", "d"];
/** After the faults have ended, everything must be delivered within this time. */
const RECOVERY_MS = 60_000;
const LATE_RECORD_MS = 15_000;
const DRAIN_MS = 10_000;
/** The time after which an actor without work is released, with reserve. */
const REST_MS = 25_000;

/** Runs one seed from beginning to end. */
export function simulate(seed: number, options: SimulationOptions = {}): Run {
  return new World(seed, options).run();
}

class World {
  private readonly random: Random;
  private readonly scenario: Scenario;
  private readonly timeline = new Timeline();
  private readonly table: QueueTable;
  private readonly leaseTable: LeaseTable;
  private readonly link: PostgresLink;
  private readonly channel: Channel;
  private readonly witness: Witness;
  private readonly receivers = new Map<EndpointId, Receiver>();
  private readonly dispatchers: SimulatedDispatcher[] = [];
  private accepted = 0;
  private isHealed = false;

  constructor(
    private readonly seed: number,
    private readonly options: SimulationOptions,
  ) {
    this.random = new Random(seed);
    this.scenario = drawScenario(this.random.fork(), options.trouble ?? COMMON_TROUBLE);
    const { timeline, scenario, random } = this;
    this.table = new QueueTable(timeline, scenario.pageSize);
    this.leaseTable = new LeaseTable(timeline, scenario.partitions);
    this.link = new PostgresLink(timeline, random.fork());
    this.channel = new Channel(timeline, random.fork());
    this.link.faults = scenario.link;
    this.channel.faults = scenario.channel;
    const trusting = (partition: number) => this.trusting(partition);
    const { ttlMs } = scenario;
    const { countsOutage = true, isTracing = false } = options;
    this.witness = new Witness({ table: this.table, timeline, ttlMs, trusting, countsOutage });
    this.witness.isTracing = isTracing;
  }

  run(): Run {
    const { timeline, scenario, witness, seed } = this;
    this.witness.note(JSON.stringify({ ...scenario, happenings: scenario.happenings.length }));
    for (let i = 0; i < scenario.endpoints; i++) this.createEndpoint(i);
    for (let i = 0; i < scenario.dispatchers; i++) this.join();
    for (const { at, what } of scenario.happenings) timeline.at(at, () => this.happen(what));
    timeline.at(scenario.healedAt, () => this.heal());
    timeline.run(scenario.healedAt + RECOVERY_MS, () => this.isHealed && this.isDone);
    if (this.isDone && seed % 8 === 0) timeline.run(timeline.now + REST_MS);
    checkEnd(this.table, witness, scenario.schedule, seed % 8 === 0 ? this.dispatchers : []);
    const { violations, trace, attempts, repeats } = witness;
    return { seed, violations, trace, attempts, repeats, accepted: this.accepted };
  }

  private get isDone(): boolean {
    for (const { queue } of this.table.endpoints.values()) if (queue.length > 0) return false;
    return true;
  }

  private get alive(): SimulatedDispatcher[] {
    return this.dispatchers.filter(({ host }) => !host.isGone);
  }

  private trusting(partition: number): Host[] {
    return this.dispatchers.filter((each) => each.trusts(partition)).map(({ host }) => host);
  }

  private createEndpoint(number: number): void {
    const { table, timeline, random, scenario } = this;
    const rateLimit = random.chance(scenario.limited) ? random.pick([10, 20, 7.5]) : null;
    const manner = random.chance(scenario.reordered)
      ? this.anyManner()
      : { batchSize: random.pick([1, 1, 1, 3, 20]) };
    const pauses = random.chance(scenario.pausing);
    const id = `00000000-0000-7000-8000-${String(number).padStart(12, "0")}` as EndpointId;
    const partition = partitionOf(id, scenario.partitions);
    const endpoint = table.create(id, partition, { rateLimit, pauses, ...manner });
    const receiver = new Receiver(endpoint.id, timeline, random.fork(), scenario.moodyMs);
    this.receivers.set(endpoint.id, receiver);
  }

  private join(): void {
    const { timeline, random, scenario, link, table, witness, channel, leaseTable } = this;
    const skewMs = random.between(-scenario.skewMs, scenario.skewMs);
    const host = new Host(`host-${this.dispatchers.length}`, timeline, random.fork(), skewMs);
    const { ttlMs, sweepIntervalMs, passivateAfterMs, attemptTimeoutMs, waitsToSendMs, schedule } = scenario;
    const dispatcher = new SimulatedDispatcher({
      host,
      partitions: scenario.partitions,
      timeline,
      random: random.fork(),
      link,
      table,
      witness,
      channel,
      leaseTable,
      memory: new Budget(scenario.room),
      schedule,
      ttlMs,
      sweepIntervalMs,
      passivateAfterMs,
      attemptTimeoutMs,
      waitsToSendMs: () => (this.isHealed ? 0 : waitsToSendMs),
      receiverOf: (id) => this.receiverOf(id),
      broken: this.options.broken ?? null,
    });
    this.dispatchers.push(dispatcher);
    witness.note(`${host.name} joins`);
    dispatcher.start();
  }

  private receiverOf(id: EndpointId): Receiver {
    const receiver = this.receivers.get(id);
    if (!receiver) throw new Error(`${id} has no receiver`);
    return receiver;
  }

  private happen(what: Happening): void {
    this.witness.note(JSON.stringify(what));
    if (what.kind === "deliveries") this.accept(this.anyEndpoint(), what.count);
    else if (what.kind === "join") this.join();
    else if (what.kind === "postgres away") this.link.goDown(what.ms);
    else if (what.kind === "postgres clock") this.leaseTable.setClock(what.ms);
    else if (what.kind === "stream away") this.loseStream(what.ms);
    else if (what.kind === "dispatcher") this.befall(what.fate, what.ms);
    else this.change(what.kind);
  }

  private accept(endpoint: EndpointRow, count: number): void {
    for (let i = 0; i < count; i++) {
      const message = this.table.accept(endpoint, this.random.pick(KEYS));
      if (!message) return;
      this.accepted++;
      const { partition } = endpoint;
      // In a process that dispatches too, or in one that does not.
      const here = this.random.chance(0.5) && this.alive.length > 0 ? this.random.pick(this.alive) : null;
      here?.take(message);
      this.channel.publish(partition, message, here?.host ?? null);
    }
  }

  private befall(fate: Fate, ms: number): void {
    const { alive, random, timeline } = this;
    if (alive.length === 0) this.join();
    const dispatcher = random.pick(this.alive);
    const { host } = dispatcher;
    const strike = () => {
      this.witness.note(`${fate}: ${host.name}`);
      if (fate === "crash") host.crash();
      else if (fate === "pause") host.pause(ms);
      else if (fate === "suspend") host.suspend(ms);
      else host.deliver(() => dispatcher.stop(DRAIN_MS));
      const isGoing = fate === "crash" || fate === "stop";
      if (isGoing && random.chance(0.7)) timeline.after(random.between(0, 3_000), () => this.join());
    };
    if (random.chance(0.3)) strike();
    else host.lieInWait(random.below(8), strike);
  }

  private loseStream(ms: number): void {
    const { channel, random, timeline } = this;
    channel.isAway = true;
    timeline.after(ms, () => {
      if (random.chance(0.3)) channel.forgetAll();
      channel.isAway = false;
    });
  }

  private change(kind: "deactivate" | "activate" | "delete" | "reorder" | "cancel" | "retry"): void {
    const endpoint = this.anyEndpoint();
    if (endpoint.isDeleted) return;
    if (kind === "delete") this.table.delete(endpoint);
    else if (kind === "reorder") this.table.setOrdering(endpoint, this.anyManner());
    else if (kind === "cancel") this.cancelAny(endpoint);
    else if (kind === "retry") this.table.retry(endpoint);
    else this.table.setActive(endpoint, kind === "activate");
    this.witness.activity(endpoint);
    this.channel.notifyChange({ partition: endpoint.partition, endpointId: endpoint.id });
  }

  private anyManner(): OrderingSettings {
    const ordering = this.random.pick<Ordering>(["ordered", "by_key", "by_key", "unordered"]);
    const maxInFlight = ordering === "ordered" ? 1 : this.random.pick([1, 2, 5]);
    return { ordering, maxInFlight, batchSize: this.random.pick([1, 1, 3, 20]) };
  }

  private cancelAny(endpoint: EndpointRow): void {
    if (endpoint.queue.length > 0) this.table.cancel(endpoint, this.random.pick(endpoint.queue));
  }

  private anyEndpoint(): EndpointRow {
    return this.random.pick([...this.table.endpoints.values()]);
  }

  /** Ends all faults, so that every delivery must end. */
  private heal(): void {
    this.isHealed = true;
    this.witness.note("healed");
    this.link.faults = noLinkFaults;
    this.channel.faults = noChannelFaults;
    this.channel.isAway = false;
    for (const receiver of this.receivers.values()) receiver.heal();
    this.activateAll();
    // A 410 from before may still be recorded.
    this.timeline.after(LATE_RECORD_MS, () => this.activateAll());
    this.join();
  }

  private activateAll(): void {
    for (const endpoint of this.table.endpoints.values()) {
      if (!endpoint.isActive && !endpoint.isDeleted) this.table.setActive(endpoint, true);
      this.witness.activity(endpoint);
    }
  }
}
