import { expect, test } from "bun:test";
import fc from "fast-check";
import { isNestedDeeper } from "../../../src/http/json/json-text";

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
