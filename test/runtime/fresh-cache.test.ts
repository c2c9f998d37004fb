import { beforeEach, expect, test } from "bun:test";
import { FreshCache } from "../../src/runtime/fresh-cache";
import { ManualClock } from "../accounts/manual-clock";

type Value = { n: number };

let clock: ManualClock;
let cache: FreshCache<string, null, Value>;
let readings: PromiseWithResolvers<Value>[];

beforeEach(() => {
  clock = new ManualClock();
  readings = [];
  cache = new FreshCache({
    clock,
    read: () => {
      const reading = Promise.withResolvers<Value>();
      readings.push(reading);
      return reading.promise;
    },
    trustMs: 4_000,
    refreshAfterMs: 2_000,
    maxEntries: 2,
    isKept: ({ n }) => n >= 0,
  });
});

async function load(key: string, n: number): Promise<void> {
  const loading = cache.load(key, null);
  readings.at(-1)?.resolve({ n });
  await loading;
}

test("a value is trusted from the start of its read", async () => {
  const loading = cache.load("a", null);
  clock.pass(1_000);
  readings[0]?.resolve({ n: 1 });
  await loading;
  clock.pass(2_999);
  expect(cache.fresh("a", null)).toEqual({ n: 1 });
  clock.pass(1);
  expect(cache.fresh("a", null)).toBeUndefined();
});

test("concurrent reads of a key are one", async () => {
  const both = [cache.load("a", null), cache.load("a", null)];
  readings[0]?.resolve({ n: 1 });
  expect(await Promise.all(both)).toEqual([{ n: 1 }, { n: 1 }]);
  expect(readings).toHaveLength(1);
});

test("a value in use is refreshed before its trust ends", async () => {
  await load("a", 1);
  clock.pass(1_999);
  cache.fresh("a", null);
  expect(readings).toHaveLength(1);
  clock.pass(1);
  expect(cache.fresh("a", null)).toEqual({ n: 1 });
  expect(cache.fresh("a", null)).toEqual({ n: 1 });
  expect(readings).toHaveLength(2);
  readings[1]?.resolve({ n: 2 });
  await cache.load("a", null);
  expect(cache.fresh("a", null)).toEqual({ n: 2 });
});

test("a failed refresh keeps the value until its trust ends", async () => {
  await load("a", 1);
  clock.pass(2_000);
  cache.fresh("a", null);
  readings[1]?.reject(new Error("away"));
  await Bun.sleep(0);
  clock.pass(1_999);
  expect(cache.fresh("a", null)).toEqual({ n: 1 });
  clock.pass(1);
  expect(cache.fresh("a", null)).toBeUndefined();
});

test("the entry not read for longest is evicted first", async () => {
  await load("a", 1);
  await load("b", 2);
  await load("a", 3);
  await load("c", 4);
  expect(cache.fresh("b", null)).toBeUndefined();
  expect(cache.fresh("a", null)).toEqual({ n: 3 });
  expect(cache.fresh("c", null)).toEqual({ n: 4 });
});

test("a value not worth caching removes the one before", async () => {
  await load("a", 1);
  await load("a", -1);
  expect(cache.fresh("a", null)).toBeUndefined();
});

test.each([["a"], []])("a read under way when its key is dropped is not cached: %p", async (...key) => {
  const loading = cache.load("a", null);
  cache.forget(...key);
  readings[0]?.resolve({ n: 1 });
  expect(await loading).toEqual({ n: 1 });
  expect(cache.fresh("a", null)).toBeUndefined();
});

test("a read after the drop is cached, whatever the earlier read returns", async () => {
  const before = cache.load("a", null);
  cache.forget("a");
  const after = cache.load("a", null);
  readings[0]?.resolve({ n: 1 });
  await before;
  readings[1]?.resolve({ n: 2 });
  await after;
  expect(cache.fresh("a", null)).toEqual({ n: 2 });
});
