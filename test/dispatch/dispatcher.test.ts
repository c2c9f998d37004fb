import { expect, test } from "bun:test";
import { MAX_WEIGHT } from "../../src/dispatch/actor";
import type { EndpointId } from "../../src/domain/ids";
import { partitionOf } from "../../src/domain/partition";
import { Budget } from "../../src/runtime/budget";
import { Channel } from "../support/simulation/channel";
import { Host } from "../support/simulation/host";
import { LeaseTable } from "../support/simulation/lease-table";
import { PostgresLink } from "../support/simulation/postgres-link";
import { QueueTable } from "../support/simulation/queue-table";
import { Random } from "../support/simulation/random";
import type { Answer, Receiver } from "../support/simulation/receiver";
import { SimulatedDispatcher } from "../support/simulation/simulated-dispatcher";
import { Timeline } from "../support/simulation/timeline";
import { Witness } from "../support/simulation/witness";

const PARTITIONS = 2;
const TTL_MS = 3_000;
/** Long enough that no regular sweep helps. */
const SWEEP_MS = 3_600_000;

const TAKEN: Answer = { status: 200, afterMs: 5 };

/** Dispatchers over one Postgres and one stream, which fail only if the test makes them. */
class Stage {
  readonly timeline = new Timeline();
  readonly random = new Random(1);
  readonly table = new QueueTable(this.timeline, 5);
  readonly channel = new Channel(this.timeline, this.random);
  private readonly leaseTable = new LeaseTable(this.timeline, PARTITIONS);
  private readonly link = new PostgresLink(this.timeline, this.random);
  /** The answer of each receiver. Null if it never answers. */
  private readonly answers = new Map<EndpointId, Answer>();
  readonly witness = new Witness({
    table: this.table,
    timeline: this.timeline,
    ttlMs: TTL_MS,
    countsOutage: false,
    trusting: () => [],
  });
  private endpoints = 0;

  join(name: string): void {
    const { timeline, random, table, channel, leaseTable, link, witness } = this;
    const host = new Host(name, timeline, random.fork(), 0);
    new SimulatedDispatcher({
      ...{ host, timeline, random, table, channel, leaseTable, link, witness },
      partitions: PARTITIONS,
      memory: new Budget(MAX_WEIGHT),
      schedule: [],
      ttlMs: TTL_MS,
      sweepIntervalMs: SWEEP_MS,
      passivateAfterMs: 10_000,
      attemptTimeoutMs: 60_000,
      waitsToSendMs: () => 0,
      receiverOf: (id) => this.receiverOf(id),
      broken: null,
    }).start();
  }

  /** Makes an endpoint of a partition. */
  endpointIn(partition: number, answer: Answer = TAKEN): EndpointId {
    for (;;) {
      const id = `00000000-0000-7000-8000-${String(this.endpoints++).padStart(12, "0")}` as EndpointId;
      if (partitionOf(id, PARTITIONS) !== partition) continue;
      this.table.create(id, partition);
      this.answers.set(id, answer);
      return id;
    }
  }

  accept(id: EndpointId): void {
    const endpoint = this.table.get(id);
    const message = this.table.accept(endpoint);
    if (message) this.channel.publish(endpoint.partition, message, null);
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.timeline.run(this.timeline.now + ms);
  }

  pendingOf(ids: readonly EndpointId[]): number {
    return ids.reduce((sum, id) => sum + this.table.get(id).queue.length, 0);
  }

  private receiverOf(id: EndpointId): Pick<Receiver, "answer"> {
    return { answer: () => this.answers.get(id) ?? null };
  }
}

test("gained partitions are swept once their messages arrive", () => {
  const stage = new Stage();
  const all = [0, 1].map((partition) => stage.endpointIn(partition));
  for (const id of all) stage.accept(id);
  stage.join("a");
  stage.pass(500);
  expect(stage.pendingOf(all)).toBe(0);
});

test("gained partitions are swept at once while no messages arrive", () => {
  const stage = new Stage();
  const all = [0, 1].map((partition) => stage.endpointIn(partition));
  for (const id of all) stage.accept(id);
  stage.channel.isAway = true;
  stage.join("a");
  stage.pass(100);
  expect(stage.pendingOf(all)).toBe(0);
});

test("a partition that could not be drained is swept, since its messages were dropped meanwhile", () => {
  const stage = new Stage();
  for (const partition of [0, 1]) stage.accept(stage.endpointIn(partition, null));
  stage.join("a");
  stage.pass(500);
  stage.join("b");
  const all = Array.from({ length: 200 }, (_, i) => stage.endpointIn(i % PARTITIONS));
  let most = 0;
  for (const id of all) {
    stage.accept(id);
    stage.pass(20);
    most = Math.max(most, stage.pendingOf(all));
  }
  // Some deliveries had to wait for the end of a drain.
  expect(most).toBeGreaterThan(5);
  stage.pass(500);
  expect(stage.pendingOf(all)).toBe(0);
});

test("an endpoint that was paused while notices were missed is sent no delivery accepted before", () => {
  const stage = new Stage();
  const id = stage.endpointIn(0);
  stage.join("a");
  stage.pass(500);
  stage.accept(id);
  stage.pass(500);
  const late = stage.table.accept(stage.table.get(id));
  stage.channel.isAway = true;
  stage.table.setActive(stage.table.get(id), false);
  stage.channel.notifyChange({ partition: 0, endpointId: id });
  stage.channel.isAway = false;
  stage.pass(500);
  if (late) stage.channel.publish(0, late, null);
  stage.pass(500);
  expect(stage.witness.attempts).toBe(1);
});
