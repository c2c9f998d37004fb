import { expect, test } from "bun:test";
import fc from "fast-check";
import { ExactNumbers } from "../../../src/event-types/schema/exact-numbers";
import { checkSchema, compileSchema } from "../../../src/event-types/schema/payload-schema";
import { parseExactly } from "../../../src/runtime/text/exact-json";
import { leastMs } from "../../support/slowness";

/** A number as it may be written, and its value times 10^PLACES. */
type Sample = { text: string; value: bigint };

const PLACES = 30;
const UNIT = 10n ** BigInt(PLACES);

/** Numbers that share their doubles with others: neighbours of powers of two, of fractions and of numbers with an exponent. */
const whole = fc
  .tuple(fc.constantFrom(2n ** 53n, 12345678901234567890n, 10n ** 22n, 1n, 0n), fc.bigInt(-2n, 2n))
  .map(([base, step]) => sampleOf(base + step, 0));
const fraction = fc
  .tuple(fc.constantFrom(10n ** 20n, 3n * 10n ** 20n, 199n * 10n ** 18n), fc.bigInt(-2n, 2n))
  .map(([base, step]) => sampleOf(base + step, 20));
const powered = fc.constantFrom("1e22", "10000000000000000000000.0", "1.0", "100e-2", "1E+0").map(valued);
const sample = fc.oneof(whole, fraction, powered);

function sampleOf(digits: bigint, places: number): Sample {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
  const at = text.length - places;
  return valued(`${sign}${text.slice(0, at)}${places > 0 ? `.${text.slice(at)}` : ""}`);
}

function valued(text: string): Sample {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const [integer = "", behind = ""] = mantissa.split(".");
  const places = PLACES + Number(power) - behind.length;
  return { text, value: BigInt(integer + behind) * 10n ** BigInt(places) };
}

function problemOf(schema: string, data: string): string | null {
  const parsed = parseExactly(schema) as Record<string, unknown>;
  expect(checkSchema(parsed)).toEqual({ warnings: [] });
  const payload = ExactNumbers.parse(data);
  return compileSchema(parsed).validate(payload.data, undefined, payload.numbers);
}

const accepts = (schema: string, data: string) => problemOf(schema, data) === null;

const KEYWORDS: Record<string, (data: bigint, bound: bigint) => boolean> = {
  const: (data, bound) => data === bound,
  minimum: (data, bound) => data >= bound,
  maximum: (data, bound) => data <= bound,
  exclusiveMinimum: (data, bound) => data > bound,
  exclusiveMaximum: (data, bound) => data < bound,
};

test.each(Object.entries(KEYWORDS))(
  "%s compares numbers by all their digits, wherever they are",
  (keyword, isValid) => {
    const property = (data: Sample, bound: Sample) => {
      const schema = `{"${keyword}":${bound.text}}`;
      const expected = isValid(data.value, bound.value);
      expect(accepts(schema, data.text)).toBe(expected);
      expect(accepts(`{"properties":{"a":{"items":${schema}}}}`, `{"a":[1e30,${data.text}]}`)).toBe(
        expected && isValid(UNIT * UNIT, bound.value),
      );
    };
    fc.assert(fc.property(sample, sample, property), { numRuns: 150 });
  },
);

test("multipleOf divides all digits", () => {
  const divisor = sample.filter(({ value }) => value > 0n);
  const property = (data: Sample, by: Sample) =>
    expect(accepts(`{"multipleOf":${by.text}}`, data.text)).toBe(data.value % by.value === 0n);
  fc.assert(fc.property(sample, divisor, property), { numRuns: 300 });
});

test("an integer has no digits behind the point, however many are in front", () => {
  const property = (data: Sample) =>
    expect(accepts(`{"type":["integer","null"]}`, data.text)).toBe(data.value % UNIT === 0n);
  fc.assert(fc.property(sample, property), { numRuns: 200 });
});

test("enum and uniqueItems tell numbers apart that share a double, within objects too", () => {
  const property = (data: Sample, others: Sample[]) => {
    const isThere = others.some(({ value }) => value === data.value);
    const values = others.map(({ text }) => `{"a":[${text}]}`);
    expect(accepts(`{"enum":[null,${values}]}`, `{"a":[${data.text}]}`)).toBe(isThere);
    const texts = others.map(({ text }) => text);
    const areUnique = new Set(others.map(({ value }) => value)).size === others.length;
    expect(accepts(`{"uniqueItems":true,"maxItems":9}`, `[${values}]`)).toBe(areUnique);
    expect(accepts(`{"uniqueItems":true,"items":{"type":"number"}}`, `[${texts}]`)).toBe(areUnique);
  };
  fc.assert(fc.property(sample, fc.array(sample, { minLength: 1, maxLength: 5 }), property), {
    numRuns: 200,
  });
});

test.each([
  [`{"type":"number"}`, "1e400", null],
  [`{"maximum":1e308}`, "1e400", "data must be <= 1e308"],
  [`{"maximum":0}`, "1e-400", "data must be <= 0"],
  [`{"const":0}`, "0e-400", null],
  [`{"multipleOf":7}`, "7e9999999999", null],
  [`{"multipleOf":7}`, "8e9999999999", "data must be multiple of 7"],
  [`{"minimum":12345678901234567890}`, "12345678901234567889", "data must be >= 12345678901234567890"],
  [`{"minimum":12345678901234567890,"exclusiveMinimum":true}`, "12345678901234567891", null],
  [`{"maxItems":12345678901234567890}`, "[1]", null],
])("%s, with %s: %p", (schema, data, problem) => expect(problemOf(schema, data)).toBe(problem));

test.each([
  [`{"const":1e400}`, "has a number that is too large"],
  [`{"enum":[0.${"1".repeat(1_024)}]}`, "has a number of more than 1024 characters"],
  [`{"properties":{"a":12345678901234567890}}`, "has something that is not a schema at /properties/a"],
])("a schema is refused for %.20s…", (schema, problem) => {
  expect(checkSchema(parseExactly(schema))).toEqual({ problem });
});

test.each([
  ["bounds", Array(100).fill('{"maximum":1.00000000000000000001}')],
  ["divisors", Array(100).fill(`{"multipleOf":0.${"0".repeat(900)}1}`)],
  ["integers", Array(150).fill('{"type":"integer"}')],
  ["ties", Array(100).fill('{"maximum":1}')],
  ["constants", [`{"not":{"enum":[${Array(900).fill("1.00000000000000000001")}]}}`]],
])("numbers with many digits can't make %s expensive", (_, parts) => {
  const data = `[${Array(4_000).fill("1,1.00000000000000000000")}]`;
  const payload = ExactNumbers.parse(data);
  const { validate } = compileSchema(
    parseExactly(`{"items":{"allOf":[${parts}]}}`) as Record<string, unknown>,
  );
  const judged = () => validate(payload.data, undefined, payload.numbers);
  expect(leastMs(1_000, () => expect(judged()).toStartWith("data takes too long"))).toBeLessThan(1_000);
});
