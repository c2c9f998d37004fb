import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Bounds, exceeded } from "../../../src/api/json/json-text";

const UNBOUNDED: Bounds = { depth: 1e9, names: 1e9, values: 1e9, unchecked: -1 };
const isNestedDeeper = (json: string, depth: number) => exceeded(json, { ...UNBOUNDED, depth }) !== null;

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("counts the nesting that JSON.parse would find, without strings", () => {
  const text = fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", "a", "é") });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, text, fc.integer(), tie("list"), tie("record")),
    list: fc.array(tie("value"), { maxLength: 4 }),
    record: fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(value, fc.boolean(), (json, isSpaced) => {
      const written = JSON.stringify(json, null, isSpaced ? 1 : 0);
      const depth = depthOf(json);
      expect(isNestedDeeper(written, depth)).toBe(false);
      if (depth > 0) expect(isNestedDeeper(written, depth - 1)).toBe(true);
    }),
  );
});

test("ends for any text", () => {
  const noise = fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", ",") });
  fc.assert(fc.property(noise, fc.nat(9), (text, limit) => void isNestedDeeper(text, limit)));
});

function namesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return own + Object.values(value).reduce((sum: number, inner) => sum + namesIn(inner), 0);
}

test("counts the names that JSON.parse would find", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const names = namesIn(JSON.parse(json));
      expect(exceeded(json, { ...UNBOUNDED, names })).toBeNull();
      if (names > 0) expect(exceeded(json, { ...UNBOUNDED, names: names - 1 })).toContain("names of fields");
    }),
  );
});

test("counts values by what begins them", () => {
  expect(exceeded('[1,"a,b",{"c":2}]', { ...UNBOUNDED, values: 4 })).toBeNull();
  expect(exceeded('[1,"a,b",{"c":2}]', { ...UNBOUNDED, values: 3 })).toBe("has more than 3 values");
});
