import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { Cutoff } from "../../src/attempt/cutoff";

test("keeps the first cause", () => {
  const control = new AbortController();
  const late = new Cutoff();
  late.begin(control.signal);
  late.expire();
  control.abort();
  expect([late.cause, late.signal.aborted]).toEqual(["timeout", true]);
  const given = new Cutoff();
  given.begin(control.signal);
  given.expire();
  expect([given.cause, given.signal.aborted]).toEqual(["aborted", true]);
});

test("serves again unless it was cut, and no longer heeds who asked before", () => {
  const control = new AbortController();
  const cutoff = new Cutoff();
  cutoff.begin(control.signal);
  expect(getEventListeners(control.signal, "abort").length).toBe(1);
  expect(cutoff.end()).toBe(true);
  expect(getEventListeners(control.signal, "abort").length).toBe(0);
  cutoff.begin(undefined);
  control.abort();
  expect(cutoff.signal.aborted).toBe(false);
  cutoff.expire();
  expect(cutoff.end()).toBe(false);
});

test("ends a race at once, also when it was cut before", async () => {
  const cutoff = new Cutoff();
  cutoff.begin(undefined);
  expect(await cutoff.race(Promise.resolve(1))).toBe(1);
  const race = cutoff.race(new Promise(() => {}));
  cutoff.expire();
  await expect(race).rejects.toThrow();
  await expect(cutoff.race(new Promise(() => {}))).rejects.toThrow();
});
