import { expect, test } from "bun:test";
import { Cutoff } from "../../src/attempt/cutoff";

test("stops the work once", () => {
  const cutoff = new Cutoff();
  let stops = 0;
  cutoff.onCut(() => void stops++);
  expect(cutoff.isCut).toBe(false);
  cutoff.expire();
  cutoff.expire();
  expect([cutoff.isCut, stops]).toEqual([true, 1]);
});

test("stops the work at hand alone, and at once when it was cut before", () => {
  const cutoff = new Cutoff();
  const stopped: string[] = [];
  cutoff.onCut(() => void stopped.push("before"));
  cutoff.onCut(() => void stopped.push("now"));
  cutoff.expire();
  cutoff.onCut(() => void stopped.push("late"));
  expect(stopped).toEqual(["now", "late"]);
});

test("ends a race at once, also when it was cut before", async () => {
  const cutoff = new Cutoff();
  expect(await cutoff.race(Promise.resolve(1))).toBe(1);
  const race = cutoff.race(new Promise(() => {}));
  cutoff.expire();
  await expect(race).rejects.toThrow();
  await expect(cutoff.race(new Promise(() => {}))).rejects.toThrow();
});
