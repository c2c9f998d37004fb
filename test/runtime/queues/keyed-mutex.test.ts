import { expect, spyOn, test } from "bun:test";
import { KeyedMutex } from "../../../src/runtime/queues/keyed-mutex";

test("runs callers of a key one after the other, in the order of arrival, also after one that fails", async () => {
  const mutex = new KeyedMutex();
  const reported: string[] = [];
  const one = (name: string, isSound: boolean) =>
    mutex.run("key", async () => {
      reported.push(`${name} begins`);
      await Bun.sleep(1);
      reported.push(`${name} ends`);
      if (!isSound) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([one("first", true), one("second", false), one("third", true)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(reported).toEqual(
    ["first", "second", "third"].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});

test("delays no other key, and forgets a key once its callers are done", async () => {
  const mutex = new KeyedMutex();
  const hanging = Promise.withResolvers<void>();
  const waiting = mutex.run("key", () => hanging.promise);
  expect(await mutex.run("other", async () => 1)).toBe(1);
  hanging.resolve();
  await waiting;
  let hasBegun = false;
  const later = mutex.run("key", async () => {
    hasBegun = true;
  });
  expect(hasBegun).toBe(true);
  await later;
});

test("wakes a waiter once, not for each one before it", async () => {
  const mutex = new KeyedMutex();
  const looks = spyOn(Promise.prototype, "then");
  try {
    await Promise.all(Array.from({ length: 500 }, () => mutex.run("key", async () => {})));
    expect(looks.mock.calls.length).toBeLessThan(2_000);
  } finally {
    looks.mockRestore();
  }
});
