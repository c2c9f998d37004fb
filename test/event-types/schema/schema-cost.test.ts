import { expect, test } from "bun:test";
import { FORMATS } from "../../../src/event-types/schema/format";
import { checkSchema, compileSchema } from "../../../src/event-types/schema/payload-schema";
import { leastMs } from "../../support/slowness";

/** The most CPU time of compiling a schema, and of matching one payload. */
const MOST_MS = 300;
/** More parts than any schema may have. */
const TOO_MANY = 5_000;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function named(count: number, value: (i: number) => unknown): object {
  return Object.fromEntries(numbers(count).map((i) => [`k${i}`, value(i)]));
}

/** Payloads of about a megabyte or less. */
const PAYLOADS: readonly unknown[] = [
  named(60_000, () => 1),
  numbers(100_000),
  numbers(100_000).map((i) => i / 7),
  numbers(300_000).map((i) => i % 10),
  numbers(9_000).map((i) => String(i).padEnd(100, "x")),
  numbers(20_000).map(() => ({ a: 1, b: 2, c: "x" })),
  numbers(256).map((i) => ({ a: numbers(300), b: i })),
  "x".repeat(1_000_000),
  // For formats: many parts, and letters that must be converted.
  numbers(10_000).map(() => `${"a.".repeat(40)}c`),
  numbers(10_000).map(() => `a@${"b.".repeat(30)}c`),
  numbers(10_000).map((i) => `http://exämple${i}.com/${"a".repeat(60)}`),
  numbers(10_000).map((i) => `h://ä${i}`),
  numbers(40_000).map(() => "2024-01-01T00:00:00Z"),
];

/** Schemas with a number of equal parts. */
const SHAPES: Record<string, (count: number) => object> = {
  ...Object.fromEntries(
    Object.keys(FORMATS).flatMap((format) => [
      [`items of format ${format}`, (count: number) => each(count, () => ({ format }))],
      [`items not of format ${format}`, (count: number) => each(count, () => ({ not: { format } }))],
    ]),
  ),
  properties: (count) => ({ properties: named(count, () => ({ type: "string", minLength: 1 })) }),
  "closed properties": (count) => ({ properties: named(count, () => true), additionalProperties: false }),
  "unevaluated properties": (count) => ({
    properties: named(count, () => true),
    unevaluatedProperties: { type: "number" },
  }),
  enum: (count) => ({ items: { enum: numbers(count).map((i) => `x${i}`) } }),
  alternatives: (count) => ({ oneOf: numbers(count).map((i) => ({ type: "object", required: [`a${i}`] })) }),
  dependents: (count) => ({ dependentRequired: { k0: numbers(count).map((i) => `k${i}`) } }),
  "patterns of names": (count) => ({
    patternProperties: Object.fromEntries(numbers(count).map((i) => [`^k${i}$`, { type: "number" }])),
  }),
  patterns: (count) => each(count, (i) => ({ pattern: `a${i}` })),
  "a long pattern": (count) => ({ items: { pattern: `(a|b)*a(a|b){${count}}` } }),
  lengths: (count) => ({ allOf: numbers(count).map((i) => ({ minLength: i })) }),
  "unique objects": (count) => ({ uniqueItems: true, maxItems: count, items: { type: "object" } }),
  "unique numbers": () => ({ uniqueItems: true, items: { type: "number" } }),
  "unique texts": () => ({ uniqueItems: true, items: { type: ["string", "null"] } }),
  contained: (count) => ({
    allOf: numbers(count).map((i) => ({ contains: { const: -i - 1 }, minContains: 0 })),
  }),
  multiples: (count) => each(count, (i) => ({ not: { multipleOf: 0.01 * i + 1e-9 } })),
  "long references": (count) => ({
    $defs: { ["a".repeat(250)]: { type: "number" } },
    items: { allOf: numbers(count).map(() => ({ $ref: `#/$defs/${"a".repeat(250)}` })) },
  }),
  "references to references": (count) => ({
    $defs: named(6, (i) =>
      i === 0 ? {} : { anyOf: [{ $ref: `#/$defs/k${i - 1}` }, { $ref: `#/$defs/k${i - 1}` }] },
    ),
    items: { $ref: `#/$defs/k${count % 6}` },
  }),
  "places of a list": (count) => ({ prefixItems: numbers(count).map(() => ({ type: "number" })) }),
};

function each(count: number, part: (i: number) => object): object {
  return { items: { allOf: numbers(count).map(part) } };
}

/** True for a schema that is checked whole. */
function isAccepted(schema: object): boolean {
  const checked = checkSchema(schema);
  return "warnings" in checked && checked.warnings.length === 0;
}

/** Returns the most parts with which a schema is checked whole. */
function mostParts(shape: (count: number) => object): number {
  let [low, high] = [1, TOO_MANY];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isAccepted(shape(middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

test.each(Object.entries(SHAPES))("a schema of many %s is cheap to refuse, compile and match", (_, shape) => {
  expect(leastMs(MOST_MS, () => checkSchema(shape(TOO_MANY)))).toBeLessThan(MOST_MS);
  const schema = { ...shape(mostParts(shape)) };
  expect(isAccepted(schema)).toBe(true);
  expect(leastMs(MOST_MS, () => compileSchema(schema))).toBeLessThan(MOST_MS);
  const { validate } = compileSchema(schema);
  for (const payload of PAYLOADS) expect(leastMs(MOST_MS, () => validate(payload))).toBeLessThan(MOST_MS);
});
