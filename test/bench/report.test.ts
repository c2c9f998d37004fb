import { expect, test } from "bun:test";
import fc from "fast-check";
import { middleOf } from "./report";

test("the interval for the median of 30 ratios is the 10th to the 21st value", () => {
  const ratios = Array.from({ length: 30 }, (_, i) => 30 - i);
  expect(middleOf(ratios)).toEqual({ ratio: 15.5, range: [10, 21] });
});

test("the median ratio lies in its interval, and one stall moves either by at most one rank", () => {
  const anyRatios = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), {
    minLength: 10,
    maxLength: 100,
  });
  fc.assert(
    fc.property(anyRatios, fc.nat(), (ratios, at) => {
      const { ratio, range } = middleOf(ratios);
      expect(range[0]).toBeLessThanOrEqual(ratio);
      expect(range[1]).toBeGreaterThanOrEqual(ratio);
      const sorted = ratios.toSorted((a, b) => a - b);
      const stalled = middleOf(ratios.with(at % ratios.length, 1_000));
      const next = (value: number) => sorted[sorted.lastIndexOf(value) + 1] ?? 1_000;
      expect(stalled.range[0]).toBeLessThanOrEqual(next(range[0]));
      expect(stalled.range[1]).toBeLessThanOrEqual(next(range[1]));
    }),
  );
});
