import { expect, test } from "bun:test";
import type { BacklogPage } from "../../src/dispatch/backlog";
import { Registry } from "../../src/dispatch/registry";
import { Room } from "../../src/dispatch/room";
import { systemClock } from "../../src/runtime/clock";
import { newId } from "../../src/runtime/ids";
import { createLog } from "../../src/runtime/log";

const PARTITION = 3;
/** More than a registry keeps for long. */
const MANY = 16_385;

const NOTHING: BacklogPage = {
  page: { kind: "active", deliveries: [], complete: true, lastSequence: 0, retryInMs: null },
  endpoint: null,
};

/** Makes so many actors that have nothing to do; the function tells how many are left at a time after that. */
async function resting(count: number) {
  let now = 0;
  const registry = new Registry({
    clock: { ...systemClock, monotonic: () => now },
    log: createLog("silent"),
    room: new Room(),
    read: async () => NOTHING,
    readUnordered: () => Promise.reject(new Error("none asks for no order")),
    attempt: () => Promise.reject(new Error("there is nothing to attempt")),
    record: () => Promise.reject(new Error("there is nothing to record")),
    mayActOn: () => true,
    dropUnwanted: () => {},
  });
  registry.open(PARTITION);
  for (let i = 0; i < count; i++) registry.wake(PARTITION, newId("ep"));
  await new Promise(setImmediate);
  return (passedMs: number) => {
    now = passedMs;
    registry.passivate();
    return registry.size;
  };
}

test("actors with nothing to do stay for ten seconds", async () => {
  const sizeAfter = await resting(2);
  expect([sizeAfter(9_999), sizeAfter(10_000)]).toEqual([2, 0]);
});

test("where there are very many they stay for one", async () => {
  const sizeAfter = await resting(MANY);
  expect([sizeAfter(999), sizeAfter(1_000)]).toEqual([MANY, 0]);
});
