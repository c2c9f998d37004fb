import { expect, test } from "bun:test";
import fc from "fast-check";
import { sizeWithin } from "../../../src/event-types/schema/match-budget";

const NO_LIMIT = Number.POSITIVE_INFINITY;

function valuesIn(value: unknown): number {
  const parts: unknown[] = typeof value === "object" && value !== null ? Object.values(value) : [];
  return parts.reduce((sum: number, part) => sum + valuesIn(part), 1);
}

test("nested values count", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const values = valuesIn(data);
      expect(sizeWithin({ values, characters: NO_LIMIT }, data)).not.toBeNull();
      expect(sizeWithin({ values: values - 1, characters: NO_LIMIT }, data)).toBeNull();
    }),
  );
});

test("the characters of texts and names count", () => {
  const data = { ab: ["cde", { f: "" }], g: 12 };
  expect(sizeWithin({ values: NO_LIMIT, characters: 7 }, data)).toEqual({ values: 6, characters: 7 });
  expect(sizeWithin({ values: NO_LIMIT, characters: 6 }, data)).toBeNull();
});

test("data may be nested deeper than the stack", () => {
  let data: unknown = 1;
  for (let depth = 0; depth < 500_000; depth++) data = [data];
  expect(sizeWithin({ values: 500_001, characters: 0 }, data)).not.toBeNull();
});
