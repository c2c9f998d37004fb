import { expect, spyOn, test } from "bun:test";
import { Twins } from "../../src/intake/twins";

test("go one after the other, in the order they came, also behind one that fails", async () => {
  const twins = new Twins();
  const told: string[] = [];
  const one = (name: string, isSound: boolean) =>
    twins.inTurn("key", async () => {
      told.push(`${name} begins`);
      await Bun.sleep(1);
      told.push(`${name} ends`);
      if (!isSound) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([one("first", true), one("second", false), one("third", true)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(told).toEqual(["first", "second", "third"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("wait for nobody else, and a key whose twins are over is as new", async () => {
  const twins = new Twins();
  const hanging = Promise.withResolvers<void>();
  const waiting = twins.inTurn("key", () => hanging.promise);
  expect(await twins.inTurn("other", async () => 1)).toBe(1);
  hanging.resolve();
  await waiting;
  let hasBegun = false;
  const later = twins.inTurn("key", async () => {
    hasBegun = true;
  });
  expect(hasBegun).toBe(true);
  await later;
});

test("that wait are not woken for each one before them", async () => {
  const twins = new Twins();
  const looks = spyOn(Promise.prototype, "then");
  try {
    await Promise.all(Array.from({ length: 500 }, () => twins.inTurn("key", async () => {})));
    expect(looks.mock.calls.length).toBeLessThan(2_000);
  } finally {
    looks.mockRestore();
  }
});
