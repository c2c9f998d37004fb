import { expect, test } from "bun:test";
import fc from "fast-check";
import { newPace, PACE_WINDOW_MS, type Pace, paceWaitMs, withStart } from "../../src/dispatch/pacer";

const limits = fc.integer({ min: 1, max: 20 });
/** Milliseconds from the end of an attempt until the next one is wanted. */
const gaps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 400, noNaN: true })), {
  maxLength: 150,
});

/** Returns the starts of attempts that are wanted after these gaps and wait as long as they must. */
function startsOf(limit: number, demand: readonly number[], pace: Pace): number[] {
  const starts: number[] = [];
  let now = 0;
  let at = pace;
  for (const gap of demand) {
    now += gap;
    now += paceWaitMs(at, limit, now);
    // No wait is left, apart from rounding.
    expect(paceWaitMs(at, limit, now)).toBeLessThan(1e-6);
    at = withStart(at, now);
    expect(at.starts.length).toBeLessThanOrEqual(limit + 1);
    starts.push(now);
  }
  return starts;
}

test("no window has more attempts than the limit", () => {
  fc.assert(
    fc.property(limits, gaps, (limit, demand) => {
      const starts = startsOf(limit, demand, newPace(-PACE_WINDOW_MS));
      starts.forEach((start, i) => {
        const inWindow = starts.slice(i).filter((each) => each < start + PACE_WINDOW_MS - 1e-6);
        expect(inWindow.length).toBeLessThanOrEqual(limit);
      });
    }),
  );
});

test("no attempt waits without need: every second uses the whole limit, and after a rest attempts start at once", () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 5 }), (limit, seconds) => {
      const demand = Array(limit * seconds).fill(0);
      const starts = startsOf(limit, demand, newPace(-PACE_WINDOW_MS));
      expect(starts.at(-1)).toBeCloseTo((seconds - 1) * PACE_WINDOW_MS, 3);
    }),
  );
});

test("while earlier starts are unknown, nothing starts", () => {
  const [first, ...others] = startsOf(3, [10, 0, 0, 0], newPace(5));
  expect(first).toBe(5 + PACE_WINDOW_MS);
  expect(others).toEqual([5 + PACE_WINDOW_MS, 5 + PACE_WINDOW_MS, 5 + 2 * PACE_WINDOW_MS]);
});

test("a changed limit applies at once", () => {
  const pace = [0, 1, 2, 3].reduce(withStart, newPace(-PACE_WINDOW_MS));
  expect(paceWaitMs(pace, 5, 4)).toBe(0);
  expect(paceWaitMs(pace, 4, 4)).toBe(PACE_WINDOW_MS - 4);
  expect(paceWaitMs(pace, 1, 4)).toBe(PACE_WINDOW_MS - 1);
});
