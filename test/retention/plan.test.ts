import { expect, test } from "bun:test";
import fc from "fast-check";
import { extension, isExpired, type RangeContent, removal, spanOf } from "../../src/retention/plan";
import { boundsOf, rangeOf, type TimeRange } from "../../src/retention/time-range";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EVER: TimeRange = { from: null, to: null };

test.each([
  [1, 3 * HOUR],
  [7, 6 * HOUR],
  [30, DAY],
  [31, 25 * HOUR],
  [365, 292 * HOUR],
])("a retention of %p days has time ranges of %p ms", (days, span) => {
  expect(spanOf(days * DAY)).toBe(span);
});

/** Returns the time ranges after a replacement. */
function rebuilt(partitions: readonly TimeRange[], plan: ReturnType<typeof removal>): TimeRange[] {
  if (plan === null) return [...partitions];
  const at = partitions.indexOf(plan.replaced[0] ?? EVER);
  expect(partitions.slice(at, at + plan.replaced.length)).toEqual([...plan.replaced]);
  return partitions.toSpliced(at, plan.replaced.length, ...plan.by);
}

function expectNoGap(partitions: readonly TimeRange[]): void {
  expect(partitions[0]?.from).toBeNull();
  expect(partitions.at(-1)?.to).toBeNull();
  for (const [i, { from, to }] of partitions.entries()) {
    if (i > 0) expect(from).toBe(partitions[i - 1]?.to ?? null);
    if (from !== null && to !== null) expect(from).toBeLessThan(to);
  }
}

const retention = fc.integer({ min: 1, max: 3_650 }).map((days) => days * DAY);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });

test("whatever the clock says each time, no time is left out, and the present has a time range", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(time, retention), { minLength: 1, maxLength: 8 }), (steps) => {
      let partitions: TimeRange[] = [EVER];
      for (const [now, kept] of steps) {
        const last = partitions.at(-1) ?? EVER;
        const span = spanOf(kept);
        partitions = rebuilt(partitions, extension(last, now, span));
        expectNoGap(partitions);
        expect(partitions.at(-1)?.from ?? 0).toBeGreaterThan(now + 6 * span);
        expect(extension(partitions.at(-1) ?? EVER, now, span)).toBeNull();
      }
    }),
  );
});

test("with a steady clock every time range has the same span", () => {
  let partitions: TimeRange[] = [EVER];
  for (let hour = 0; hour < 24 * 60; hour++) {
    partitions = rebuilt(partitions, extension(partitions.at(-1) ?? EVER, hour * HOUR + 1, DAY));
  }
  const inner = partitions.slice(1, -1);
  expect(inner.map(({ from, to }) => (to ?? 0) - (from ?? 0))).toEqual(inner.map(() => DAY));
  expect(inner).toHaveLength(60 + 7);
});

const content = fc.record({ mayGo: fc.boolean(), isEmpty: fc.boolean() });

test("every expired time range goes, one at a time, and as few empty ones as possible stay", () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 12 }), (drawn) => {
      let partitions: RangeContent[] = drawn.map((each, i) => ({
        ...each,
        range: { from: i === 0 ? null : i * DAY, to: (i + 1) * DAY },
      }));
      const kept = partitions.filter(({ mayGo }) => !mayGo);
      for (let plan = removal(partitions); plan; plan = removal(partitions)) {
        const { replaced, by } = plan;
        const gone = partitions.filter(({ range }) => replaced.includes(range));
        expect(gone.every(({ mayGo }) => mayGo)).toBe(true);
        expect(gone.filter(({ isEmpty }) => !isEmpty).length).toBeLessThanOrEqual(1);
        const ranges = rebuilt(
          partitions.map(({ range }) => range),
          plan,
        );
        partitions = ranges.map(
          (range) =>
            partitions.find((each) => each.range === range) ?? {
              range,
              mayGo: true,
              isEmpty: by.includes(range),
            },
        );
      }
      expect(partitions.filter(({ mayGo }) => !mayGo)).toEqual(kept);
      expect(partitions.some(({ mayGo, isEmpty }) => mayGo && !isEmpty)).toBe(false);
      expect(partitions.some((each, i) => each.mayGo && partitions[i + 1]?.mayGo)).toBe(false);
    }),
  );
});

test("a time range is expired once even its youngest delivery is older than the retention", () => {
  fc.assert(
    fc.property(time, retention, fc.integer({ min: 0, max: 2 * DAY }), (to, kept, after) => {
      expect(isExpired({ from: null, to }, to + kept + after, kept)).toBe(after >= HOUR);
    }),
  );
  expect(isExpired({ from: 0, to: null }, Number.MAX_SAFE_INTEGER, DAY)).toBe(false);
});

test("bounds are parsed as they were written", () => {
  fc.assert(
    fc.property(fc.option(time), fc.option(time), (from, to) => {
      expect(rangeOf(boundsOf({ from, to }))).toEqual({ from, to });
    }),
  );
  expect(() => rangeOf("DEFAULT")).toThrow();
});
