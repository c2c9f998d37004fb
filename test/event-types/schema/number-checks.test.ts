import { expect, test } from "bun:test";
import fc from "fast-check";
import { isMultiple } from "../../../src/event-types/schema/number-checks";

const decimal = (digits: number, places: number) => Number(`${digits}e-${places}`);
const places = fc.nat(9);

test("every decimal is a multiple of the unit of its last digit", () => {
  const property = (digits: number, at: number) => isMultiple(decimal(digits, at), decimal(1, at));
  fc.assert(fc.property(fc.maxSafeInteger(), places, property));
});

test("no decimal is a multiple of ten times that unit, unless its last digit is 0", () => {
  const digits = fc.integer({ min: -1e12, max: 1e12 });
  const property = (digits: number, at: number) =>
    isMultiple(decimal(digits, at), decimal(10, at)) === (digits % 10 === 0);
  fc.assert(fc.property(digits, places, property));
});

test.each([
  [19.99, 0.01, true],
  [0.3, 0.1, true],
  [1e21, 1, true],
  [5e21, 5, true],
  [0, 0.01, true],
  [19.995, 0.01, false],
  [1.0000001, 1, false],
  [7, 2, false],
  [4.5, 1.5, true],
  [2_251_799_813_685_249, 2, false],
  [1_760_000_000_000_000.5, 1, false],
  [1e308, 0.123456789, false],
])("%p as a multiple of %p: %p", (value, divisor, expected) => {
  expect(isMultiple(value, divisor)).toBe(expected);
});
