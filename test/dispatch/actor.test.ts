import { expect, test } from "bun:test";
import type { SendGuard } from "../../src/attempt/exchange";
import { Actor, MAX_WEIGHT } from "../../src/dispatch/actor";
import type { BacklogPage } from "../../src/dispatch/backlog/backlog";
import { type EndpointView, PLAIN } from "../../src/dispatch/endpoint";
import type { ReadRequest } from "../../src/dispatch/lane/page";
import { Registry } from "../../src/dispatch/registry";
import { newId } from "../../src/domain/ids";
import type { Outcome, Recorded } from "../../src/domain/outcome";
import type { QueueKey } from "../../src/domain/partition";
import type { PendingDelivery } from "../../src/domain/pending-delivery";
import { Budget } from "../../src/runtime/budget";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import type { Hint } from "../../src/stream/hint";
import { outcomeWith } from "../support/outcome";
import { pageOf } from "../support/simulation/backlog-page";

const PLACE = { partition: 3, endpointId: newId("ep") };

const ENDPOINT: EndpointView = { ...PLAIN, revision: 1, url: "http://127.0.0.1:9/", secrets: ["secret"] };

function pending(sequence: number): PendingDelivery {
  const ids = { id: newId("wh"), accountId: newId("acc"), replayOf: null, eventExternalId: null };
  return {
    ...ids,
    sequence,
    event: null,
    orderingKey: null,
    data: "{}",
    attemptCount: 0,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
}

function delivered({ accountId, sequence, event, attemptCount }: PendingDelivery): Outcome {
  const rest = { accountId, sequence, event, attemptCount, attempt: { status: 200 } };
  return outcomeWith({ ...PLACE, ...rest, verdict: { kind: "delivered" }, health: "none" });
}

type Attempt = {
  delivery: PendingDelivery;
  guard: SendGuard;
  /** Ends the attempt with an outcome. Null means that it was not sent. */
  end(outcome: Outcome | null): void;
};

/** The stages of an actor with three pending deliveries. The test ends each attempt. */
function work({ answer = { applied: true, revision: 1 } }: { answer?: Recorded } = {}) {
  const postgres = { pending: [pending(1), pending(2), pending(3)], last: 3 };
  const pendingAt = ({ sequence }: { sequence: number }) =>
    postgres.pending.find((each) => each.sequence === sequence) ?? pending(sequence);
  const attempts: Attempt[] = [];
  const reads: number[] = [];
  const stages = {
    read: async (_: QueueKey, request: ReadRequest): Promise<BacklogPage> => {
      reads.push(request.after);
      const rows = postgres.pending.map((each) => ({ ...each, nextAttemptAt: null }));
      const endpoint = { ...ENDPOINT, queueRevision: 1, lastSequence: postgres.last };
      const sizes = {
        scan: 32,
        retries: 16,
        orders: 32,
        uncrowded: 128,
        examined: 1_000,
        examinedProbed: 1_000,
      };
      const model = { endpoint, rows, now: 0, sizes, deliveryOf: pendingAt, weightOf: () => 2, most: 1_000 };
      return { page: pageOf(model, request), endpoint: ENDPOINT };
    },
    attempt: (delivery: PendingDelivery, _: unknown, __: unknown, guard: SendGuard) =>
      new Promise<Outcome | null>((end) => attempts.push({ delivery, guard, end })),
    record: async ({ sequence }: Outcome) => {
      if (answer.applied) postgres.pending = postgres.pending.filter((each) => each.sequence !== sequence);
      return answer;
    },
    // All of them wait for a slot.
    dropUnwanted: () => {
      for (const { guard, end } of attempts) if (!guard.stillWanted()) end(null);
    },
  };
  const deps = {
    clock: systemClock,
    log: createLog("silent"),
    memory: new Budget(MAX_WEIGHT),
    backlog: stages,
    attempts: stages,
    recorder: stages,
    dropUnwanted: stages.dropUnwanted,
    mayActOn: () => true,
  };
  return { deps, stages, postgres, attempts, reads };
}

/** Runs everything that waits only for promises. */
const settle = () => new Promise(setImmediate);

function actorOf({ deps }: ReturnType<typeof work>): Actor {
  const rest = { startsKnownSince: () => 0, holdsSlowReceivers: () => false, onClosed: () => {} };
  return new Actor(PLACE, { ...deps, ...rest });
}

test("an attempt whose connection comes late is not sent if its endpoint has changed meanwhile", async () => {
  const given = work();
  const actor = actorOf(given);
  actor.wake(3);
  await settle();
  const [attempt] = given.attempts;
  expect(attempt?.delivery.sequence).toBe(1);
  actor.endpointChanged();
  expect(attempt?.guard.tryStart()).toBe(false);
  attempt?.end(null);
  await settle();
  expect(given.attempts.map(({ delivery }) => delivery.sequence)).toEqual([1, 1]);
  expect(given.attempts.at(-1)?.guard.tryStart()).toBe(true);
});

test("a success ends the trouble, even if its attempt began before the first failure", async () => {
  const given = work();
  const recorded: Outcome["health"][] = [];
  const record = given.stages.record;
  given.stages.record = (outcome) => {
    recorded.push(outcome.health);
    return record(outcome);
  };
  const endpoint: EndpointView = { ...ENDPOINT, ordering: "unordered", maxInFlight: 3 };
  const { read } = given.stages;
  given.stages.read = async (queue, request) => {
    const { page } = await read(queue, request);
    const { ordering, maxInFlight } = endpoint;
    return { page: page.kind === "active" ? { ...page, ordering, maxInFlight } : page, endpoint };
  };
  actorOf(given).wake(3);
  await settle();
  const [first, second, third] = given.attempts;
  if (!first || !second || !third) throw new Error("not all three are under way");
  first.end(delivered(first.delivery));
  await settle();
  second.end({
    ...delivered(second.delivery),
    verdict: { kind: "failed", nextAfterMs: null },
    health: "failing",
  });
  await settle();
  third.end(delivered(third.delivery));
  await settle();
  expect(recorded).toEqual(["none", "failing", "recovered"]);
});

test("after a refused record the delivery is read again before those behind it are attempted", async () => {
  const given = work({ answer: { applied: false } });
  const actor = actorOf(given);
  actor.wake(3);
  await settle();
  const [attempt] = given.attempts;
  if (attempt) attempt.end(delivered(attempt.delivery));
  await settle();
  expect(given.reads).toHaveLength(2);
  expect(given.attempts.map(({ delivery }) => delivery.sequence)).toEqual([1, 1]);
});

test("draining a partition does not wait for attempts that wait for a slot, and resuming takes them up again", async () => {
  const { deps, attempts } = work();
  const registry = new Registry(deps);
  registry.open(PLACE.partition);
  registry.wake(PLACE.partition, PLACE.endpointId);
  await settle();
  registry.drain(PLACE.partition);
  await settle();
  expect(registry.actorsOf(PLACE.partition)).toBe(0);
  registry.resume(PLACE.partition);
  registry.wake(PLACE.partition, PLACE.endpointId);
  await settle();
  expect(attempts.map(({ delivery }) => delivery.sequence)).toEqual([1, 1]);
});

test("a partition that returns waits for the attempt that was under way when it left", async () => {
  const { deps, attempts } = work();
  const registry = new Registry(deps);
  const begin = async () => {
    registry.open(PLACE.partition);
    registry.wake(PLACE.partition, PLACE.endpointId);
    await settle();
  };
  await begin();
  registry.close(PLACE.partition);
  await begin();
  expect(attempts).toHaveLength(1);
  const [attempt] = attempts;
  if (attempt) attempt.end(delivered(attempt.delivery));
  await settle();
  await begin();
  expect(attempts).toHaveLength(2);
});

/** A registry whose only actor has delivered everything, and is idle. */
async function atRest() {
  const given = work();
  const registry = new Registry({ ...given.deps, passivateAfterMs: 0 });
  registry.open(PLACE.partition);
  registry.wake(PLACE.partition, PLACE.endpointId);
  for (let i = 0; i < 3; i++) {
    await settle();
    const attempt = given.attempts.at(-1);
    attempt?.end(delivered(attempt.delivery));
  }
  await settle();
  registry.passivate(0);
  expect(registry.size).toBe(0);
  return { ...given, registry };
}

function messageOf({ id, accountId, sequence }: PendingDelivery): Hint {
  return {
    id,
    accountId,
    ...PLACE,
    sequence,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data: "{}",
  };
}

test("a successor can begin with what its released actor knew", async () => {
  const { registry, attempts, reads } = await atRest();
  registry.announce(messageOf(pending(4)));
  expect(attempts.at(-1)?.delivery.sequence).toBe(4);
  expect(reads).toHaveLength(1);
});

test("a successor knows of a change that was announced while its partition was drained", async () => {
  const { registry, attempts, reads } = await atRest();
  registry.drain(PLACE.partition);
  registry.endpointChanged(PLACE);
  registry.resume(PLACE.partition);
  registry.announce(messageOf(pending(4)));
  expect(attempts).toHaveLength(3);
  expect(reads).toHaveLength(2);
});

test("once notices may have been missed, a dormant actor's state is read again before anything is attempted", async () => {
  const { registry, postgres, attempts } = await atRest();
  // Their hints come late: both deliveries are cancelled by then, the second after an actor was created.
  for (const sequence of [4, 5]) {
    postgres.last = sequence;
    registry.noticesMissed();
    registry.announce(messageOf(pending(sequence)));
    await settle();
  }
  expect(attempts).toHaveLength(3);
});

test("a partition that was drained meanwhile finds deliveries that are pending again after Postgres lost commits", async () => {
  const { registry, postgres, attempts } = await atRest();
  registry.drain(PLACE.partition);
  Object.assign(postgres, { pending: [pending(2), pending(3), pending(4)], last: 4 });
  registry.reset();
  registry.resume(PLACE.partition);
  registry.wake(PLACE.partition, PLACE.endpointId, 4);
  await settle();
  expect(attempts.at(-1)?.delivery.sequence).toBe(2);
});

test("it also finds them if an attempt was under way", async () => {
  const { deps, postgres, attempts } = work();
  const registry = new Registry({ ...deps, dropUnwanted: () => {} });
  const wake = async () => {
    registry.wake(PLACE.partition, PLACE.endpointId);
    await settle();
  };
  const deliver = async () => {
    const attempt = attempts.at(-1);
    attempt?.end(delivered(attempt.delivery));
    await settle();
  };
  registry.open(PLACE.partition);
  await wake();
  for (let i = 0; i < 2; i++) await deliver();
  registry.drain(PLACE.partition);
  Object.assign(postgres, { pending: [pending(2), pending(3), pending(4)], last: 4 });
  registry.reset();
  expect(registry.actorsOf(PLACE.partition)).toBe(1);
  registry.resume(PLACE.partition);
  await deliver();
  await wake();
  expect(attempts.map(({ delivery }) => delivery.sequence)).toEqual([1, 2, 3, 2]);
});
