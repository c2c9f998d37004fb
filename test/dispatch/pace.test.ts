import { expect, test } from "bun:test";
import fc from "fast-check";
import { newPace, type Pace, paceWaitMs, withStart, withWindow } from "../../src/dispatch/pacer";
import { type RateWindow, rateWindowOf } from "../../src/domain/rate-limit";

const limits = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0.01, max: 20, noNaN: true }));
const LONG_AGO = -1_000_000;
/** Milliseconds from the end of an attempt until the next one is wanted. */
const gaps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 400, noNaN: true })), {
  maxLength: 150,
});

/** Returns the starts of attempts that are wanted after these gaps and wait as long as they must. */
function startsOf(window: RateWindow, demand: readonly number[], pace: Pace): number[] {
  const starts: number[] = [];
  let now = 0;
  let at = pace;
  for (const gap of demand) {
    now += gap;
    now += paceWaitMs(at, window, now);
    // No wait is left, apart from rounding.
    expect(paceWaitMs(at, window, now)).toBeLessThan(1e-6);
    at = withStart(at, window, now);
    expect(at.starts.length).toBeLessThanOrEqual(window.starts + 1);
    starts.push(now);
  }
  return starts;
}

test("a limit is as many attempts in a second, or one in a longer time", () => {
  expect([50, 1, 0.5, 0.01, 2.5].map(rateWindowOf)).toEqual([
    { starts: 50, ms: 1_000 },
    { starts: 1, ms: 1_000 },
    { starts: 1, ms: 2_000 },
    { starts: 1, ms: 100_000 },
    { starts: 3, ms: 1_200 },
  ]);
});

test("no window has more attempts than the limit", () => {
  fc.assert(
    fc.property(limits, gaps, (limit, demand) => {
      const window = rateWindowOf(limit);
      const starts = startsOf(window, demand, newPace(LONG_AGO));
      starts.forEach((start, i) => {
        const inWindow = starts.slice(i).filter((each) => each < start + window.ms - 1e-6);
        expect(inWindow.length).toBeLessThanOrEqual(window.starts);
      });
    }),
  );
});

test("no attempt waits without need: every window uses the whole limit, and after a rest attempts start at once", () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 5 }), (limit, windows) => {
      const window = rateWindowOf(limit);
      const demand = Array(window.starts * windows).fill(0);
      const starts = startsOf(window, demand, newPace(LONG_AGO));
      expect(starts.at(-1)).toBeCloseTo((windows - 1) * window.ms, 3);
    }),
  );
});

test("while earlier starts are unknown, nothing starts", () => {
  const [first, ...others] = startsOf(rateWindowOf(3), [10, 0, 0, 0], newPace(5));
  expect(first).toBe(1_005);
  expect(others).toEqual([1_005, 1_005, 2_005]);
});

test("a changed limit applies at once", () => {
  const five = rateWindowOf(5);
  const pace = [0, 1, 2, 3].reduce((before, now) => withStart(before, five, now), newPace(LONG_AGO));
  expect(paceWaitMs(pace, five, 4)).toBe(0);
  expect(paceWaitMs(pace, rateWindowOf(4), 4)).toBe(1_000 - 4);
  expect(paceWaitMs(pace, rateWindowOf(1), 4)).toBe(1_000 - 1);
});

test("a limit with a longer window counts the starts that the former limit has forgotten", () => {
  const [ten, half] = [rateWindowOf(10), rateWindowOf(0.5)];
  const pace = withWindow(
    [0, 1_500].reduce((before, now) => withStart(before, ten, now), newPace(LONG_AGO)),
    ten,
    1_600,
  );
  expect(paceWaitMs(pace, half, 1_600)).toBe(1_900);
  const rested = withWindow(newPace(LONG_AGO), ten, 1_600);
  // There may have been starts until 600.
  expect(paceWaitMs(rested, half, 1_600)).toBe(1_000);
});
