import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { Cutoff } from "../../src/attempt/cutoff";

test("keeps the first cause, and stops the work once", () => {
  const control = new AbortController();
  const cutoff = new Cutoff(control.signal);
  let stops = 0;
  cutoff.onCut(() => void stops++);
  cutoff.expire();
  control.abort();
  expect([cutoff.cause, stops]).toEqual(["timeout", 1]);
  const given = new Cutoff(control.signal);
  given.expire();
  expect(given.cause).toBe("aborted");
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

test("no longer heeds who asked when the exchange is over", () => {
  const control = new AbortController();
  const cutoff = new Cutoff(control.signal);
  expect(getEventListeners(control.signal, "abort").length).toBe(1);
  cutoff.end();
  expect(getEventListeners(control.signal, "abort").length).toBe(0);
});

test("ends a race at once, also when it was cut before", async () => {
  const cutoff = new Cutoff();
  expect(await cutoff.race(Promise.resolve(1))).toBe(1);
  const race = cutoff.race(new Promise(() => {}));
  cutoff.expire();
  await expect(race).rejects.toThrow();
  await expect(cutoff.race(new Promise(() => {}))).rejects.toThrow();
});
