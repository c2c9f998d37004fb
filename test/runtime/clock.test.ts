import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { sleep, systemClock, unlessAborted, within } from "../../src/runtime/clock";
import { ManualClock } from "../attempt/manual-clock";

const never = new Promise<never>(() => {});

test("a wait longer than a timer's maximum does not end at once", async () => {
  const control = new AbortController();
  let isOver = false;
  const slept = sleep(systemClock, 2 ** 40, control.signal).then(() => {
    isOver = true;
  });
  await Bun.sleep(20);
  expect(isOver).toBe(false);
  control.abort();
  await slept;
});

test("a wait of 0 ms ends before any other, unless it is cancelled", async () => {
  const fired: string[] = [];
  const both = new Promise<void>((resolve) => {
    systemClock.after(50, () => {
      fired.push("after 50");
      resolve();
    });
    systemClock.after(0, () => fired.push("cancelled"))();
    systemClock.after(0, () => fired.push("after 0"));
  });
  expect(fired).toEqual([]);
  await both;
  expect(fired).toEqual(["after 0", "after 50"]);
});

test("a sleep ends after its time or with its signal, and leaves neither timer nor listener", async () => {
  const clock = new ManualClock();
  const control = new AbortController();
  const slept = sleep(clock, 100, control.signal);
  await clock.pass(100);
  await slept;
  expect(getEventListeners(control.signal, "abort")).toEqual([]);
  const cut = sleep(clock, 100, control.signal);
  control.abort();
  await cut;
  await sleep(clock, 100, control.signal);
  expect(clock.pending).toBe(0);
});

test("work that ends in time leaves no timer; other work is left alone", async () => {
  const clock = new ManualClock();
  expect(await within(clock, 100, Promise.resolve())).toBe(true);
  await expect(within(clock, 100, Promise.reject(new Error("the work's")))).rejects.toThrow("the work's");
  expect(clock.pending).toBe(0);
  const late = within(clock, 100, never);
  await clock.pass(100);
  expect(await late).toBe(false);
});

test("unlessAborted settles as the work does, and then leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("the work's")), signal)).rejects.toThrow("the work's");
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
});

test("unlessAborted rejects at once if the signal aborts, or has aborted", async () => {
  const control = new AbortController();
  const waiting = unlessAborted(never, control.signal);
  control.abort(new Error("asked to"));
  await expect(waiting).rejects.toThrow("asked to");
  await expect(unlessAborted(never, control.signal)).rejects.toThrow("asked to");
});
