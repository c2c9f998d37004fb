import fc from "fast-check";
import type { Json } from "./client";

/** Values that fit a schema of the OpenAPI document, values that nearly do, and values that do not at all. */
export function valuesOf(schema: Json): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: fitting(schema) }, ANYTHING, NEAR);
}

/** Texts of JSON objects like an example, with some fields otherwise, others beside them, and now and then a flaw. */
export function bodiesOf(schema: Json, example: Json): fc.Arbitrary<string> {
  const more = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.dictionary(NAMES, ANYTHING, { maxKeys: 2 }),
  );
  const fields = fc
    .tuple(more, fc.subarray(Object.keys(example)), objectOf(schema))
    .map(([unknown, kept, changed]) => ({ ...unknown, ...changed, ...pick(example, kept) }));
  const whole = fc
    .tuple(more, objectOf(schema))
    .map(([unknown, changed]) => ({ ...unknown, ...changed, ...example }));
  const value = fc.oneof({ weight: 4, arbitrary: fields }, { weight: 4, arbitrary: whole }, ANYTHING);
  return fc.tuple(value.map(written), FLAW).map(([json, flaw]) => flaw(json));
}

function pick(object: Json, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

/** Texts for a path segment or a query value, with correct or wrong percent-encoding. */
export const ENCODED: fc.Arbitrary<string> = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 40 })
    .filter((text) => text.isWellFormed() && !isDots(text))
    .map(encodeURIComponent),
  fc.constantFrom(
    "%00",
    "%ff",
    "%zz",
    "%",
    "%c0%80",
    "%ed%a0%80",
    "%2F..%2F",
    "a%0d%0ab",
    "null",
    "-1",
    "1e9",
  ),
  fc.constantFrom("__proto__", "constructor", "'--", "%5Bobject%20Object%5D", "x".repeat(3_000), ";a=b"),
);

/** A URL's parser would take them out. */
function isDots(text: string): boolean {
  return /^\.{1,2}$/.test(text) || text === "";
}

const TEXTS = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "\udfff\ud800",
    "\u202e",
    "%s%n",
    "{{7*7}}",
    "x".repeat(5_000),
    "-0",
    "NaN",
  ),
);
const NAMES = fc.oneof(TEXTS, fc.constantFrom("__proto__", "constructor", "toString", "length", ""));
const NUMBERS = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constantFrom(-0, 2 ** 31, 2 ** 53, -1, 1.5));
const LEAVES = fc.oneof(TEXTS, NUMBERS, fc.boolean(), fc.constant(null));
const NEAR: fc.Arbitrary<unknown> = fc.oneof(
  LEAVES,
  LEAVES.map((leaf) => [leaf]),
  LEAVES.map((leaf) => ({ leaf })),
);
const ANYTHING: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    LEAVES,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(NAMES, tie("any"), { maxKeys: 3 }),
  ),
})).any;

/** Changes of a JSON text; most change nothing. */
const FLAW: fc.Arbitrary<(json: string) => string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((json: string) => json) },
  { weight: 1, arbitrary: fc.nat(30).map((cut) => (json: string) => json.slice(0, -cut)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      (json: string) => json.replace(/\d+/, "1e999"),
      (json: string) => json.replace(/\d+/, "0x10"),
      (json: string) => json.replace("{", '{"__proto__":{"admin":true},'),
      (json: string) => json.replace(/"(\w+)":/, '"$1":1,"$1":'),
      (json: string) => json.replaceAll(":", " :\n\t"),
      (json: string) => `${"[".repeat(500)}${json}${"]".repeat(500)}`,
      (json: string) => `{"data":${'{"a":'.repeat(300)}${json}${"}".repeat(301)}`,
      (json: string) => `\ufeff${json}`,
      (json: string) => json + json,
      () => "",
    ),
  },
);

function written(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

function fitting(schema: Json): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map(valuesOf));
  switch (schema.type) {
    case "string":
      return textsOf(schema);
    case "integer":
    case "number":
      return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1e6, 1e9) });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return objectOf(schema);
    default:
      return ANYTHING;
  }
}

function textsOf({ minLength = 0, maxLength = 200 }: Json): fc.Arbitrary<string> {
  const plain = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30) });
  const words = ["https://example.com/x", "order.created", "order.*", "*", "2099-01-01T00:00:00Z", "free"];
  const edges = [minLength - 1, minLength, maxLength, maxLength + 1].map((length) =>
    "x".repeat(Math.max(0, length)),
  );
  return fc.oneof(plain, fc.constantFrom(...words, ...edges));
}

function objectOf(schema: Json): fc.Arbitrary<object> {
  const properties = Object.entries<Json>(schema.properties ?? {});
  const fields = Object.fromEntries(properties.map(([name, inner]) => [name, valuesOf(inner)]));
  return fc.record(fields, { requiredKeys: [] });
}
