import { beforeEach, expect, test } from "bun:test";
import { SchemaTurns } from "../../src/event-types/schema-turns";
import { QueueFull } from "../../src/runtime/batcher";
import { newId } from "../../src/runtime/ids";
import { ManualClock } from "../accounts/manual-clock";

let clock: ManualClock;
let turns: SchemaTurns;
let done: string[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new SchemaTurns(clock);
  done = [];
});

/** Work that takes so long by the clock. */
function work(name: string, ms: number) {
  return () => {
    clock.pass(ms);
    done.push(name);
    return name;
  };
}

const soon = () => new Promise(setImmediate);

test("after each schema all else has three times as long as it took", async () => {
  const all = ["first", "second", "third"].map((name) => turns.take(newId("acc"), work(name, 20)));
  expect(await all[0]).toBe("first");
  clock.pass(59);
  await soon();
  expect(done).toEqual(["first"]);
  clock.pass(1);
  await soon();
  expect(done).toEqual(["first", "second"]);
  clock.pass(60);
  expect(await all[2]).toBe("third");
});

test("an account's schemas wait behind those of others, however many it has", async () => {
  const [greedy, modest] = [newId("acc"), newId("acc")];
  const all = ["a", "b", "c"].map((name) => turns.take(greedy, work(name, 10)));
  all.push(turns.take(modest, work("modest", 10)));
  for (let i = 0; i < all.length; i++) {
    await soon();
    clock.pass(30);
  }
  await Promise.all(all);
  expect(done).toEqual(["a", "modest", "b", "c"]);
});

test("one that fails tells who asked, and leaves the others theirs", async () => {
  const account = newId("acc");
  const failing = turns.take(account, () => {
    throw new Error("broken");
  });
  const next = turns.take(account, work("next", 1));
  await expect(failing).rejects.toThrow("broken");
  clock.pass(0);
  expect(await next).toBe("next");
});

test("nobody waits for ever", async () => {
  turns = new SchemaTurns(clock, 1);
  const account = newId("acc");
  await turns.take(account, work("long", 1_000));
  await expect(turns.take(account, work("late", 1))).rejects.toBeInstanceOf(QueueFull);
  await expect(turns.take(newId("acc"), work("late", 1))).rejects.toBeInstanceOf(QueueFull);
  expect(done).toEqual(["long"]);
});
