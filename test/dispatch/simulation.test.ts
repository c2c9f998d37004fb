import { describe, expect, test } from "bun:test";
import pino from "pino";
import { DatabaseUnavailable } from "../../src/db/database";
import type { ActorDeps } from "../../src/dispatch/actor";
import { MAX_WEIGHT } from "../../src/dispatch/actor";
import type { OrderingSettings } from "../../src/dispatch/lane/lane-state";
import { Registry } from "../../src/dispatch/registry";
import { type EndpointId, newId, toText } from "../../src/domain/ids";
import type { Outcome } from "../../src/domain/outcome";
import type { QueueKey } from "../../src/domain/partition";
import type { PendingDelivery } from "../../src/domain/pending-delivery";
import { Budget } from "../../src/runtime/budget";
import { sleep } from "../../src/runtime/clock";
import { createLog, type Log } from "../../src/runtime/log";
import type { Hint } from "../../src/stream/hint";
import { type OutcomeGiven, outcomeWith } from "../support/outcome";
import type { Flaw } from "../support/simulation/attempts";
import { Host } from "../support/simulation/host";
import { QueueTable } from "../support/simulation/queue-table";
import { Random } from "../support/simulation/random";
import { Timeline } from "../support/simulation/timeline";
import { type Run, type SimulationOptions, simulate } from "../support/simulation/world";

/** `HERMOD_SIMULATION_SEEDS` runs more seeds. `HERMOD_SIMULATION_SEED` runs one seed and prints its course. */
const SEEDS = Number(process.env.HERMOD_SIMULATION_SEEDS ?? 250);
const REPLAYED = process.env.HERMOD_SIMULATION_SEED;
const MAX_FAILURES = 5;

/** Runs seeds until a few have failed; throws with the failures, and how to see each again. */
function expectNoViolation(count: number, options: SimulationOptions = {}): Run[] {
  const runs: Run[] = [];
  const failed: Run[] = [];
  for (const seed of seedsUpTo(count)) {
    const run = simulate(seed, { ...options, isTracing: REPLAYED !== undefined });
    runs.push(run);
    if (run.violations.length > 0) failed.push(run);
    if (REPLAYED !== undefined) console.log(run.trace.join("\n"));
    if (failed.length >= MAX_FAILURES) break;
  }
  if (failed.length > 0) throw new Error(failed.map(describeFailure).join("\n"));
  return runs;
}

function seedsUpTo(count: number): number[] {
  return REPLAYED === undefined ? Array.from({ length: count }, (_, seed) => seed) : [Number(REPLAYED)];
}

function describeFailure({ seed, violations }: Run): string {
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  return `seed ${seed}: ${violations[0]}${more}; HERMOD_SIMULATION_SEED=${seed} and -t replay it`;
}

function sum(runs: readonly Run[], figure: "attempts" | "repeats" | "accepted"): number {
  return runs.reduce((total, run) => total + run[figure], 0);
}

describe("dispatchers that crash, are suspended and meet failures of all kinds", () => {
  test(`lose nothing, keep the order and repeat only what was in flight, ${SEEDS} times`, () => {
    const runs = expectNoViolation(SEEDS);
    if (runs.length < 200) return;
    // Checks that the promises were at stake: there was work, and faults fell between sends and their records.
    expect(sum(runs, "attempts")).toBeGreaterThan(50 * runs.length);
    expect(sum(runs, "repeats")).toBeGreaterThan(runs.length / 20);
  }, 600_000);

  test("repeat nothing if they only join and leave in order", () => {
    const runs = expectNoViolation(75, { trouble: ["stop", "join", "stream", "moods", "changes"] });
    expect(sum(runs, "repeats")).toBe(0);
  });

  test("repeat nothing after an outage of Postgres in which nothing was lost", () => {
    expectNoViolation(75, { trouble: ["postgres away", "moods"], countsOutage: false });
  });

  test("do not read over and over while a retry waits, however far their wall clock differs from Postgres'", () => {
    expectNoViolation(75, { trouble: ["skew", "moods"] });
  });

  test("keep the order although an attempt waits between the guard and its send", () => {
    expectNoViolation(75, { trouble: ["waits to send", "pause", "postgres away"] });
  });
});

describe.skipIf(REPLAYED !== undefined)("the simulation", () => {
  test("depends on its seed only", () => {
    for (let seed = 0; seed < 10; seed++) {
      const first = simulate(seed, { isTracing: true });
      expect(first.trace.length).toBeGreaterThan(10);
      expect(simulate(seed, { isTracing: true })).toEqual(first);
    }
  });

  const planted: [flaw: Flaw, violation: RegExp][] = [
    ["no compare-and-set", /attempts are recorded/],
    ["answers before the commit", /is attempted while \d+ is pending/],
    ["retry recorded as ended", /is attempted while \d+ is pending/],
    ["reads at two moments", /is attempted while \d+ is pending/],
    ["page called complete", /is attempted while \d+ is pending/],
    ["asks too early", /attempts begin within \d/],
    ["forgets what is in flight", /is attempted while \d+ is pending/],
    ["trusts too long", /is trusted by/],
    ["trusts for ever", /arrived after|nothing explains it/],
    ["pauses too late", /is attempted, and it stopped at \d+/],
    ["counts hurried attempts", /after \d of \d steps/],
    ["never sweeps", /are never delivered/],
  ];

  test.each(planted)("finds the planted flaw: %s", (broken, violation) => {
    const found = () => {
      for (let seed = 0; seed < 500; seed++) {
        const { violations } = simulate(seed, { broken });
        const hit = violations.find((each) => violation.test(each));
        if (hit) return hit;
      }
      return null;
    };
    expect(found()).toMatch(violation);
  });
});

/** The stages around an actor. */
type Stages = ActorDeps["backlog"] & ActorDeps["attempts"] & ActorDeps["recorder"];

type Ended = Pick<OutcomeGiven, "attempt" | "verdict"> & Partial<Pick<OutcomeGiven, "health">>;

function outcomeOf(
  delivery: PendingDelivery,
  queue: QueueKey,
  { health = "none", ...ended }: Ended,
): Outcome {
  const { accountId, sequence, attemptCount, event } = delivery;
  return outcomeWith({ ...queue, accountId, sequence, attemptCount, event, health, ...ended });
}

function retried(delivery: PendingDelivery, queue: QueueKey, afterMs: number): Outcome {
  return outcomeOf(delivery, queue, { attempt: { status: 500 }, verdict: { kind: "retry", afterMs } });
}

/** A registry of one partition with one endpoint, over a Postgres that answers at once. */
function registryOf(
  pending: number,
  {
    log = createLog("silent"),
    memory = new Budget(MAX_WEIGHT),
    ...given
  }: Partial<Stages> & { log?: Log; memory?: Budget } = {},
  attemptMs = 100,
) {
  const timeline = new Timeline();
  const host = new Host("host", timeline, new Random(1), 0);
  const table = new QueueTable(timeline, 5);
  const endpoint = table.create("ep", 0);
  const messages: (Hint | null)[] = [];
  const accept = (count: number) => {
    for (let i = 0; i < count; i++) messages.push(table.accept(endpoint));
  };
  accept(pending);
  const attempted: number[] = [];
  const stages: Stages = {
    read: async ({ endpointId }, request) => table.read(endpointId, request),
    attempt: async (delivery, _, queue) => {
      attempted.push(delivery.sequence);
      await sleep(host.clock, attemptMs);
      return outcomeOf(delivery, queue, { attempt: { status: 200 }, verdict: { kind: "delivered" } });
    },
    record: async (outcome) => table.record(outcome),
    ...given,
  };
  const registry = new Registry({
    clock: host.clock,
    log,
    mayActOn: () => true,
    memory,
    backlog: stages,
    attempts: stages,
    recorder: stages,
    dropUnwanted: () => {},
  });
  registry.open(0);
  const announce = (sequence: number) => {
    const message = messages[sequence - 1];
    if (message) registry.announce(message);
    timeline.run(timeline.now);
  };
  return { registry, timeline, table, endpoint, attempted, announce, accept };
}

/** A log that keeps its lines. */
function keptLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe("an endpoint's actor", () => {
  test("logs a failed read by the endpoint's public id, and logs nothing while Postgres is down", () => {
    const { log, lines } = keptLog();
    const failures = [new DatabaseUnavailable("no answer"), new Error("its secret can't be opened")];
    const read = () => Promise.reject(failures.shift());
    const { registry, timeline } = registryOf(0, { log, read });
    const id = newId("ep");
    registry.wake(0, id);
    timeline.run(300);
    expect(lines).toMatchObject([{ endpoint_id: toText("ep", id), error: "its secret can't be opened" }]);
  });

  test("that drains finishes and records its attempt, and starts no other, whatever is announced", () => {
    const { registry, timeline, endpoint, attempted, announce } = registryOf(3);
    registry.wake(0, endpoint.id);
    timeline.run(50);
    registry.drain(0);
    announce(2);
    registry.wake(0, endpoint.id);
    expect(registry.actorsOf(0)).toBe(1);
    timeline.run(300);
    expect({ attempted, actors: registry.actorsOf(0), left: endpoint.queue.length }).toEqual({
      attempted: [1],
      actors: 0,
      left: 2,
    });
    registry.wake(0, endpoint.id);
    expect(registry.actorsOf(0)).toBe(0);
  });

  test("that drains lets no waiting attempt be sent", () => {
    const allowed: boolean[] = [];
    const { registry, timeline, endpoint } = registryOf(1, {
      // Waits for a connection.
      attempt: async (_delivery, _endpoint, _place, guard) => {
        await sleep(timelineClock(), 100);
        allowed.push(guard.tryStart());
        return null;
      },
    });
    const timelineClock = () => new Host("other", timeline, new Random(1), 0).clock;
    registry.wake(0, endpoint.id);
    timeline.run(50);
    registry.drain(0);
    timeline.run(300);
    expect({ allowed, actors: registry.actorsOf(0), left: endpoint.queue.length }).toEqual({
      allowed: [false],
      actors: 0,
      left: 1,
    });
  });

  test("that waits for a retry stays if no sweep would wake it in time", () => {
    const { registry, timeline, endpoint } = registryOf(1, {
      attempt: async (delivery, _, queue) => retried(delivery, queue, 100_000),
    });
    registry.wake(0, endpoint.id);
    timeline.run(20_000);
    registry.passivate(60_000);
    expect(registry.size).toBe(1);
    registry.passivate(2_000);
    expect(registry.size).toBe(0);
  });

  test("of a fast endpoint continues while its partition holds slow receivers", () => {
    const { registry, timeline, endpoint, attempted } = registryOf(3);
    registry.holdSlowReceivers(0, true);
    registry.wake(0, endpoint.id);
    timeline.run(1_000);
    expect(attempted).toEqual([1, 2, 3]);
  });

  for (const ordering of ["ordered", "by_key", "unordered"] as const) {
    for (const [what, attempt] of [
      ["is slow", { status: 200, durationMs: 900, verdict: { kind: "delivered" }, health: "none" }],
      ["fails", { status: 500, durationMs: 1, verdict: { kind: "retry", afterMs: 100 }, health: "failing" }],
    ] as const) {
      test(`that ${what} starts nothing while its partition holds slow receivers, and can be drained at once: ${ordering}`, () => {
        const { status, durationMs, verdict, health } = attempt;
        const attempted: number[] = [];
        const { registry, timeline, table, endpoint } = registryOf(3, {
          attempt: async (delivery, _, queue) => {
            attempted.push(delivery.sequence);
            await sleep(timelineClock(), durationMs);
            return outcomeOf(delivery, queue, { attempt: { status, durationMs }, verdict, health });
          },
        });
        const timelineClock = () => new Host("other", timeline, new Random(1), 0).clock;
        table.setOrdering(endpoint, { ordering, maxInFlight: 1, batchSize: 1 });
        registry.wake(0, endpoint.id);
        registry.holdSlowReceivers(0, true);
        timeline.run(10_000);
        expect(attempted).toEqual([1]);
        registry.drain(0);
        expect(registry.actorsOf(0)).toBe(0);
        registry.resume(0);
        registry.holdSlowReceivers(0, false);
        registry.wake(0, endpoint.id);
        timeline.run(timeline.now + 1_000);
        expect(attempted.length).toBeGreaterThan(1);
      });
    }
  }

  test("that waits for longer than the next due delivery reads what has changed meanwhile", () => {
    const { registry, timeline, endpoint, attempted } = registryOf(2, {
      attempt: async (delivery, _, queue) => {
        attempted.push(delivery.sequence);
        return retried(delivery, queue, 30_000);
      },
    });
    registry.wake(0, endpoint.id, null, 2_000);
    timeline.run(1_000);
    // Cancelled, without a notice.
    endpoint.queue.shift();
    registry.wake(0, endpoint.id, null, 2_000);
    timeline.run(2_000);
    expect(attempted).toEqual([1, 2]);
    // Nothing has changed: the actor waits for deliveries that are due within the sweep's time.
    timeline.run(30_000);
    registry.wake(0, endpoint.id, null, 2_000);
    expect(attempted).toEqual([1, 2]);
  });

  test("handles a change at once, also after it was released", () => {
    const { registry, timeline, endpoint, attempted } = registryOf(1);
    registry.endpointChanged({ partition: 0, endpointId: endpoint.id });
    timeline.run(50);
    expect(attempted).toEqual([1]);
  });

  test("that resumes after a drain in vain continues without being woken", () => {
    const { registry, timeline, endpoint, attempted } = registryOf(3);
    registry.wake(0, endpoint.id);
    timeline.run(50);
    registry.drain(0);
    registry.resume(0);
    timeline.run(1_000);
    expect(attempted).toEqual([1, 2, 3]);
  });

  test("ends with its partition, and its successor waits until the attempt is recorded", () => {
    const { registry, timeline, endpoint, attempted } = registryOf(3);
    registry.wake(0, endpoint.id);
    timeline.run(50);
    registry.close(0);
    registry.open(0);
    registry.wake(0, endpoint.id);
    timeline.run(150);
    expect(attempted).toEqual([1]);
    registry.wake(0, endpoint.id);
    timeline.run(1_000);
    expect(attempted).toEqual([1, 2, 3]);
  });
});

describe("the state of a released actor", () => {
  /** An endpoint whose first delivery has ended, and whose actor was released. */
  function restedOf(pending: number) {
    const read = { times: 0 };
    const { table, ...rest } = registryOf(pending, {
      read: async ({ endpointId }, request) => {
        read.times++;
        return table.read(endpointId, request);
      },
    });
    const { registry, timeline, announce } = rest;
    const release = () => {
      timeline.run(timeline.now + 60_000);
      registry.passivate(0);
      expect(registry.size).toBe(0);
    };
    announce(1);
    release();
    return { table, ...rest, read, release };
  }

  test("saves its successor a read, which continues with the next delivery", () => {
    const { accept, announce, release, attempted, read } = restedOf(1);
    for (const next of [2, 3]) {
      accept(1);
      announce(next);
      release();
    }
    expect({ attempted, read }).toEqual({ attempted: [1, 2, 3], read: { times: 1 } });
  });

  test("does not hide deliveries that no message announced", () => {
    const { accept, announce, release, attempted } = restedOf(1);
    accept(2);
    announce(3);
    release();
    expect(attempted).toEqual([1, 2, 3]);
  });

  test("is not used if the endpoint has changed since, announced or not", () => {
    for (const isAnnounced of [true, false]) {
      const { accept, announce, release, registry, table, endpoint, attempted, read } = restedOf(1);
      table.setOrdering(endpoint, { ordering: "ordered", maxInFlight: 1, batchSize: 1 });
      if (isAnnounced) registry.endpointChanged({ partition: 0, endpointId: endpoint.id });
      release();
      accept(1);
      announce(2);
      release();
      expect({ attempted, read }).toEqual({ attempted: [1, 2], read: { times: 2 } });
    }
  });

  test("is dropped once another dispatcher owned the partition: an old message is no delivery", () => {
    const { accept, announce, release, registry, table, endpoint, attempted } = restedOf(1);
    registry.close(0);
    accept(1);
    endpoint.queue.length = 0;
    registry.open(0);
    announce(2);
    release();
    expect({ attempted, pending: table.heads([0], 0) }).toEqual({ attempted: [1], pending: [] });
  });
});

test("an unordered endpoint that waits for a retry is kept, and read for new deliveries, not for every sweep", () => {
  let reads = 0;
  const attempted: number[] = [];
  const { registry, timeline, table, endpoint, accept } = registryOf(1, {
    read: async ({ endpointId }, request) => {
      reads++;
      return table.read(endpointId, request);
    },
    attempt: async (delivery, _, queue) => {
      attempted.push(delivery.sequence);
      return retried(delivery, queue, 60_000);
    },
  });
  table.setOrdering(endpoint, { ordering: "unordered", maxInFlight: 2, batchSize: 1 });
  const sweep = () => registry.wake(0, endpoint.id, endpoint.lastSequence);
  const sweepFor = (ms: number) => {
    for (const until = timeline.now + ms; timeline.now < until; registry.passivate(0)) {
      sweep();
      timeline.run(timeline.now + 1_000);
    }
  };
  sweepFor(2_000);
  const readsAtFirst = reads;
  sweepFor(20_000);
  expect({ attempted, reads, actors: registry.size }).toEqual({
    attempted: [1],
    reads: readsAtFirst,
    actors: 1,
  });
  accept(1);
  sweepFor(1_000);
  expect(attempted).toEqual([1, 2]);
  sweepFor(60_000);
  expect(attempted).toEqual([1, 2, 1, 2]);
});

/** The memory of a delivery: a payload of two characters and the objects around it. */
const WEIGHT = 514;

test("deliveries that arrive during a long attempt are not kept in memory, and are delivered after it", () => {
  const memory = new Budget(MAX_WEIGHT);
  const { registry, timeline, attempted, accept, announce } = registryOf(0, { memory }, 10_000);
  accept(5);
  announce(1);
  timeline.run(500);
  announce(2);
  expect(memory.held).toBe(5 * WEIGHT);
  timeline.run(1_500);
  accept(3);
  for (const sequence of [6, 7, 8]) announce(sequence);
  expect(memory.held).toBe(5 * WEIGHT);
  timeline.run(100_000);
  expect({ attempted, held: memory.held, actors: registry.size }).toEqual({
    attempted: [1, 2, 3, 4, 5, 6, 7, 8],
    held: 0,
    actors: 1,
  });
});

describe("a process without free memory", () => {
  const ENDPOINTS = 20;
  const EACH = 30;
  const MEMORY = 10 * WEIGHT;

  function crowd(manner: OrderingSettings) {
    const memory = new Budget(MEMORY);
    const delivered = new Map<EndpointId, number[]>();
    let most = 0;
    const { registry, timeline, table } = registryOf(0, {
      memory,
      read: async ({ endpointId }, request) => table.read(endpointId, request, memory.isFull),
      record: async (outcome) => {
        const { endpointId, sequence } = outcome;
        delivered.set(endpointId, [...(delivered.get(endpointId) ?? []), sequence]);
        return table.record(outcome);
      },
    });
    const endpoints = Array.from({ length: ENDPOINTS }, (_, i) => table.create(`ep-${i}`, 0, manner));
    const look = () => {
      most = Math.max(most, memory.held);
    };
    for (let i = 0; i < EACH; i++) {
      for (const endpoint of endpoints) {
        const message = table.accept(endpoint);
        if (message) registry.announce(message);
        timeline.run(timeline.now + 1);
        look();
      }
    }
    for (let i = 0; i < 600; i++) {
      timeline.run(timeline.now + 100);
      look();
    }
    return { memory, delivered, most, registry };
  }

  const manners: OrderingSettings[] = [
    { ordering: "ordered", maxInFlight: 1, batchSize: 1 },
    { ordering: "by_key", maxInFlight: 3, batchSize: 1 },
    { ordering: "unordered", maxInFlight: 3, batchSize: 1 },
  ];

  test.each(manners)("holds no more than its bound and the attempts: $ordering", (manner) => {
    const { most } = crowd(manner);
    // The last page may have brought five deliveries.
    expect(most).toBeWithin(MEMORY, MEMORY + (ENDPOINTS * manner.maxInFlight + 5) * WEIGHT);
  });

  test.each(manners)("still delivers everything: $ordering", (manner) => {
    const { delivered, memory, registry } = crowd(manner);
    const all = Array.from({ length: EACH }, (_, i) => i + 1);
    expect(delivered.size).toBe(ENDPOINTS);
    for (const sequences of delivered.values()) {
      const isOrdered = manner.ordering !== "unordered";
      expect(isOrdered ? sequences : sequences.toSorted((a, b) => a - b)).toEqual(all);
    }
    registry.close(0);
    expect(memory.held).toBe(0);
  });
});

describe("after an outcome that can't be recorded", () => {
  test.each([
    ["is refused", () => Promise.reject(new Error("Postgres refuses it"))],
    [
      "finds the recorder's queue full",
      () => {
        throw new Error("the queue is full");
      },
    ],
  ])("because it %s, the next sweep takes up the endpoint again", (_, fail) => {
    let records = 0;
    const record: Stages["record"] = async (outcome) => table.record(outcome);
    const { registry, timeline, endpoint, table } = registryOf(1, {
      record: (outcome) => (records++ === 0 ? fail() : record(outcome)),
    });
    registry.wake(0, endpoint.id);
    timeline.run(1_000);
    expect(registry.size).toBe(0);
    registry.wake(0, endpoint.id);
    timeline.run(2_000);
    expect(endpoint.queue).toEqual([]);
  });
});
