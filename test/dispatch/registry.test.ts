import { expect, test } from "bun:test";
import { MAX_WEIGHT } from "../../src/dispatch/actor";
import type { BacklogPage } from "../../src/dispatch/backlog/backlog";
import { Registry } from "../../src/dispatch/registry";
import { type EndpointId, newId } from "../../src/domain/ids";
import { Budget } from "../../src/runtime/budget";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";

const PARTITION = 3;
/** A registry keeps this many actors for long. */
const MANY = 5_000;

const NOTHING: BacklogPage = {
  page: {
    kind: "active",
    ordering: "ordered",
    maxInFlight: 1,
    batchSize: 1,
    queueRevision: 1,
    lastSequence: 0,
    retries: [],
    hasMoreRetries: false,
    firstRetryInMs: null,
    isUncrowded: false,
    orders: [],
    passed: [],
    scanned: [],
    scannedTo: 0,
  },
  endpoint: null,
};

/** Actors of endpoints without pending deliveries, with their own clock. */
class Actors {
  private now = 0;
  readonly registry = new Registry({
    clock: { ...systemClock, monotonic: () => this.now },
    log: createLog("silent"),
    memory: new Budget(MAX_WEIGHT),
    backlog: { read: async () => NOTHING },
    attempts: { attempt: () => Promise.reject(new Error("there is nothing to attempt")) },
    recorder: { record: () => Promise.reject(new Error("there is nothing to record")) },
    mayActOn: () => true,
    dropUnwanted: () => {},
  });

  constructor() {
    this.registry.open(PARTITION);
  }

  /** Wakes each endpoint at this time. */
  async wake(endpoints: readonly EndpointId[], atMs: number): Promise<void> {
    this.now = atMs;
    for (const id of endpoints) this.registry.wake(PARTITION, id);
    await new Promise(setImmediate);
  }

  sizeAt(atMs: number): number {
    this.now = atMs;
    this.registry.passivate(0);
    return this.registry.size;
  }
}

const endpointsOf = (count: number) => Array.from({ length: count }, () => newId("ep"));

test("actors without work stay for ten seconds", async () => {
  const actors = new Actors();
  await actors.wake(endpointsOf(2), 0);
  expect([actors.sizeAt(9_999), actors.sizeAt(10_000)]).toEqual([2, 0]);
});

test("if there are too many, those idle for longest are released, once they have been idle for a second", async () => {
  const actors = new Actors();
  const [early, late] = [endpointsOf(5), endpointsOf(MANY)];
  await actors.wake(early, 0);
  await actors.wake(late, 500);
  expect([actors.sizeAt(999), actors.sizeAt(1_000)]).toEqual([MANY + 5, MANY]);
  await actors.wake(late, 1_000);
  expect(actors.registry.size).toBe(MANY);
  expect(actors.registry.passivate(0)).toBe(2_000);
  await actors.wake(early, 1_000);
  expect(actors.registry.size).toBe(MANY + 5);
  expect(actors.registry.passivate(0)).toBe(500);
});
