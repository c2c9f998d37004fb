import { expect, test } from "bun:test";
import fc from "fast-check";
import { diffOf } from "../../../src/console/console/line-diff";
import { changeSentences } from "../../../src/console/console/schema-changes";
import { compileSchema } from "../../../src/event-types/schema/payload-schema";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });

test("the lines that are not added are the old text, and those that are not removed the new one", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const shown = diffOf(before.join("\n"), after.join("\n"));
      const read = (other: "added" | "removed") =>
        shown.flatMap((line) =>
          line.is === "skipped" ? Array<null>(line.lines).fill(null) : line.is === other ? [] : [line.text],
        );
      const without = (all: readonly string[], known: readonly (string | null)[]) =>
        known.map((each, index) => each ?? all[index] ?? "");
      const [old, next] = [before, after].map((each) => (each.length === 0 ? [""] : each)) as [
        string[],
        string[],
      ];
      expect(without(old, read("added"))).toEqual(old);
      expect(without(next, read("removed"))).toEqual(next);
    }),
  );
});

test("equal lines far from a change are counted", () => {
  const text = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const shown = diffOf(text.join("\n"), text.with(10, "other").join("\n"));
  expect(shown.at(0)).toEqual({ is: "skipped", lines: 7 });
  expect(shown.filter(({ is }) => is === "added" || is === "removed")).toEqual([
    { is: "removed", text: "line 10" },
    { is: "added", text: "other" },
  ]);
});

test("texts with thousands of differing lines are shown one after the other", () => {
  const text = (name: string) => Array.from({ length: 3_000 }, (_, n) => `${name} ${n}`).join("\n");
  const shown = diffOf(text("a"), text("b"));
  expect(shown.map(({ is }) => is)).toEqual([...Array(3_000).fill("removed"), ...Array(3_000).fill("added")]);
});

test("sentences name what a schema asks that the other does not", () => {
  const before = {
    type: "object",
    required: ["id", "old"],
    properties: { id: { type: "string" }, old: {}, gone: {}, a: { type: "object", properties: { b: {} } } },
  };
  const after = {
    type: "object",
    required: ["id", "total"],
    additionalProperties: false,
    properties: {
      id: { type: "integer" },
      total: { type: "string" },
      old: {},
      a: { type: "object", required: ["b"], properties: { b: {} } },
    },
  };
  expect(changeSentences(before, after)).toEqual([
    "2 properties are now required: a.b, total.",
    "1 property is no longer required: old.",
    "1 property has another type: id (integer, not string).",
    "1 property is no longer allowed: gone.",
  ]);
  expect(changeSentences(before, before)).toEqual([]);
});

test("nothing is said of objects whose rules lie elsewhere too", () => {
  const before = { allOf: [{ required: ["id"] }], properties: { id: {} } };
  expect(changeSentences(before, { required: ["id"], properties: { id: {} } })).toEqual([]);
});

const NAMES = ["a", "b", "c"] as const;
const leaf = fc.oneof(
  fc.constantFrom<object | boolean>(
    {},
    true,
    false,
    { type: "string" },
    { type: "integer" },
    { type: ["string", "null"] },
  ),
  fc.constant({ allOf: [{ type: "object", required: ["a"] }] }),
);
const objectOf = (rule: fc.Arbitrary<object | boolean>) =>
  fc.record(
    {
      properties: fc.dictionary(fc.constantFrom(...NAMES), rule),
      required: fc.uniqueArray(fc.constantFrom(...NAMES)),
      additionalProperties: fc.constantFrom<boolean | object>(true, false, {}),
      anyOf: fc.constant([{ required: ["a"] }, { required: ["b"] }]),
    },
    { requiredKeys: ["properties"] },
  );
const schemas: fc.Arbitrary<Json> = objectOf(fc.oneof(leaf, objectOf(leaf)));
const value = fc.constantFrom<unknown>("text", 1, null, true, {});
const payloads = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof(value, fc.dictionary(fc.constantFrom(...NAMES), value)),
);

type Json = Record<string, unknown>;
const holderOf = (payload: Json, path: readonly string[]): Json | null => {
  const [name, ...rest] = path;
  if (rest.length === 0 || name === undefined) return payload;
  const inner = payload[name];
  return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? holderOf(inner as Json, rest)
    : null;
};
const has = (payload: Json, path: string) => {
  const parts = path.split(".");
  const holder = holderOf(payload, parts);
  return holder === null ? null : Object.hasOwn(holder, parts.at(-1) ?? "");
};
const namedIn = (sentences: readonly string[], about: string) =>
  sentences
    .filter((each) => each.includes(about))
    .flatMap((each) =>
      each
        .replace(/^[^:]*: /, "")
        .replace(/( …)?\.$/, "")
        .split(/, (?=[abc])/),
    );
/** Returns the payloads that the schema accepts. */
const acceptedOf = (schema: Json, some: readonly Json[]) => {
  const { validate } = compileSchema(schema);
  return some.filter((each) => validate(each) === null);
};

test("each sentence is true of the two schemas, judged by the service's own validator", () => {
  fc.assert(
    fc.property(schemas, schemas, fc.array(payloads, { maxLength: 12 }), (before, after, some) => {
      const sentences = changeSentences(before, after);
      const [old, next] = [before, after].map((each) => acceptedOf(each, some)) as [Json[], Json[]];
      const found = (payloads: readonly Json[], about: string) =>
        payloads.flatMap((payload) => namedIn(sentences, about).map((path) => has(payload, path)));
      expect(found(next, "now required")).not.toContain(false);
      expect(found(old, "no longer required")).not.toContain(false);
      expect(found(next, "no longer allowed")).not.toContain(true);
    }),
    { numRuns: 100 },
  );
});
