import { expect, test } from "bun:test";
import fc from "fast-check";
import { isLarger } from "../../src/event-types/data-size";

const NO_LIMIT = Number.POSITIVE_INFINITY;

function valuesIn(value: unknown): number {
  const parts: unknown[] = typeof value === "object" && value !== null ? Object.values(value) : [];
  return parts.reduce((sum: number, part) => sum + valuesIn(part), 1);
}

test("values within values count", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const values = valuesIn(data);
      expect(isLarger(data, { values, characters: NO_LIMIT })).toBe(false);
      expect(isLarger(data, { values: values - 1, characters: NO_LIMIT })).toBe(true);
    }),
  );
});

test("the characters of texts and of names count", () => {
  const data = { ab: ["cde", { f: "" }], g: 12 };
  expect(isLarger(data, { values: NO_LIMIT, characters: 7 })).toBe(false);
  expect(isLarger(data, { values: NO_LIMIT, characters: 6 })).toBe(true);
});

test("data may be nested deeper than the stack", () => {
  let data: unknown = 1;
  for (let depth = 0; depth < 500_000; depth++) data = [data];
  expect(isLarger(data, { values: 500_001, characters: 0 })).toBe(false);
});
