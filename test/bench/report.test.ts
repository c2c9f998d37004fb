import { expect, test } from "bun:test";
import fc from "fast-check";
import { middleOf } from "./report";

test("of 30 turns, the median lies between the 10th and the 21st", () => {
  const ratios = Array.from({ length: 30 }, (_, i) => 30 - i);
  expect(middleOf(ratios)).toEqual({ ratio: 15.5, range: [10, 21] });
});

test("the middle of ratios lies in its range, and a single stall moves neither by more than a place", () => {
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
