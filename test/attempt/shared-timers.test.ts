import { expect, test } from "bun:test";
import { SharedTimers } from "../../src/attempt/deadline";
import { ManualClock } from "./manual-clock";

/** `SharedTimers` that record what expired, and how long after the start. */
function scene() {
  const clock = new ManualClock();
  const start = clock.monotonic();
  const deadlines = new SharedTimers(clock);
  const expired: [string, number][] = [];
  const set = (name: string, ms: number) => {
    const item = { expire: () => void expired.push([name, clock.monotonic() - start]) };
    deadlines.set(item, clock.monotonic(), ms);
    return () => deadlines.clear(item, ms);
  };
  return { clock, expired, set };
}

test("each expires at its own time, whatever the order of the lengths", async () => {
  const { clock, expired, set } = scene();
  set("a", 100);
  await clock.pass(10);
  set("b", 100);
  set("c", 50);
  await clock.pass(1_000);
  expect(expired).toEqual([
    ["c", 60],
    ["a", 100],
    ["b", 110],
  ]);
  expect(clock.pending).toBe(0);
});

test("a cleared timer does not expire, and others still do", async () => {
  const { clock, expired, set } = scene();
  const clear = set("a", 100);
  await clock.pass(50);
  set("b", 100);
  clear();
  clear();
  await clock.pass(1_000);
  expect(expired).toEqual([["b", 150]]);
});

test("one timer serves many of the same length, and none is left once all are cleared", () => {
  const { clock, set } = scene();
  const clears = Array.from({ length: 1_000 }, (_, i) => set(String(i), 100));
  expect(clock.pending).toBe(1);
  for (const clear of clears) clear();
  expect(clock.pending).toBe(0);
});

test("a timer set while another expires has its full time, even if a third is cleared by then", async () => {
  const clock = new ManualClock();
  const deadlines = new SharedTimers(clock);
  const expired: number[] = [];
  const start = clock.monotonic();
  const cleared = { expire() {} };
  const item = {
    expire() {
      expired.push(clock.monotonic() - start);
      deadlines.set(cleared, clock.monotonic(), 100);
      deadlines.clear(cleared, 100);
      if (expired.length < 3) deadlines.set(item, clock.monotonic(), 100);
    },
  };
  deadlines.set(item, start, 100);
  await clock.pass(1_000);
  expect(expired).toEqual([100, 200, 300]);
  expect(clock.pending).toBe(0);
});
