import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonSchema } from "../../../src/domain/json-schema";
import { compileSchema, schemaProblem } from "../../../src/event-types/schema/payload-schema";

function nested(depth: number): JsonSchema {
  return depth === 1 ? { type: "string" } : { properties: { a: nested(depth - 1) } };
}

function manyNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `n${i}`);
}

function manyOf(length: number, pattern: (i: number) => string): { pattern: string }[] {
  return Array.from({ length }, (_, i) => ({ pattern: pattern(i) }));
}

const ORDINARY = [
  "^\\p{L}{1,100}$",
  "^[\\p{L}\\p{M}' -]{1,80}$",
  "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$",
];

/** Properties with patterns. A third of the patterns are shared, the others differ. */
function ordinary(count: number): JsonSchema {
  const patternOf = (i: number) =>
    i % 3 === 0 ? ORDINARY[i % ORDINARY.length] : `^(usr|ord)_${i}_[A-Za-z0-9]{16}$`;
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string", pattern: patternOf(i) }]),
  );
}

function manyProperties(count: number): JsonSchema {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`property_${i}`, { type: "string", maxLength: 100 }]),
  );
}

describe("a schema that is accepted", () => {
  const accepted: [string, JsonSchema][] = [
    ["empty", {}],
    [
      "of the documentation's kind",
      {
        type: "object",
        required: ["amount"],
        properties: { amount: { type: "number", minimum: 0, default: 1 } },
      },
    ],
    [
      "of draft 7",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        items: [{ type: "string" }],
        additionalItems: false,
      },
    ],
    [
      "of draft 2020-12",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        prefixItems: [{ type: "string" }],
        unevaluatedItems: false,
      },
    ],
    [
      "with notes",
      { title: "t", description: "d", examples: [1], "x-team": { a: 1 }, $comment: "c", deprecated: true },
    ],
    [
      "with references to its own parts",
      {
        $defs: { "a/b~c": { type: "string" } },
        properties: { a: { $ref: "#/$defs/a~1b~0c" }, b: { $ref: "#/$defs/a~1b~0c" } },
      },
    ],
    [
      "with an id",
      { $id: "https://example.com/schema.json", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } },
    ],
    [
      "with properties named like keywords",
      { properties: { $ref: { type: "string" }, $data: {}, type: {}, constructor: {}, toString: {} } },
    ],
    ["16 deep", nested(16)],
    [
      "with formats",
      {
        properties: {
          a: { format: "date-time" },
          b: { format: "uuid" },
          c: { type: "integer", format: "int64" },
        },
      },
    ],
    ["with patterns", { pattern: "^[a-z]+$", patternProperties: { "^x-": { type: "string" } } }],
    ["with one pattern many times", { allOf: Array(500).fill({ pattern: "^a{500}$" }) }],
    [
      "with many patterns",
      { allOf: Array.from({ length: 100 }, (_, i) => ({ pattern: `^[0-9a-f]{8}-[0-9a-f]{24}-${i}$` })) },
    ],
    [
      "with dozens of ordinary patterns, within items too",
      { properties: ordinary(100), additionalProperties: { items: { properties: ordinary(60) } } },
    ],
    ["with as many properties as anyone describes", { properties: manyProperties(400) }],
    ["with unique plain items", { uniqueItems: true, items: { type: ["string", "null"] } }],
    ["with few unique items", { uniqueItems: true, maxItems: 256 }],
  ];
  test.each(accepted)("is %s", (_, schema) => expect(schemaProblem(schema)).toBeNull());
});

describe("a schema is refused", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );
  const refused: [string, unknown, RegExp][] = [
    ["no object", [], /must be a JSON object/],
    ["nothing", undefined, /must be a JSON object/],
    ["of an unknown draft", { $schema: "http://json-schema.org/draft-04/schema#" }, /unknown \$schema/],
    [
      "a misspelt keyword",
      { properties: { a: { requried: ["b"] } } },
      /not a supported keyword at \/properties\/a\/requried/,
    ],
    [
      "a keyword with a wrong value",
      { properties: { a: { minimum: "1" } } },
      /\/properties\/a\/minimum must be number/,
    ],
    ["an unknown type", { type: "text" }, /valid JSON Schema/],
    ["a part that is no schema", { properties: { a: 7 } }, /not a schema at \/properties\/a/],
    ["a remote reference", { $ref: "https://example.com/schema.json" }, /only to its own parts/],
    ["a reference to a name", { $ref: "other" }, /only to its own parts/],
    ["a reference to nothing", { $ref: "#/$defs/a" }, /does not exist/],
    ["a reference to what every object has", { $ref: "#/constructor" }, /does not exist/],
    ["a reference to itself", { properties: { child: { $ref: "#" } } }, /refers to itself/],
    [
      "references in a circle",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      /refers to itself/,
    ],
    [
      "references that multiply",
      { $ref: "#/$defs/d0", $defs: { ...doubling, d60: { type: "string" } } },
      /too large|nested deeper/,
    ],
    [
      "a circle through a name with a slash",
      {
        $defs: { x: { not: true }, "x/not": { properties: { a: { $ref: "#/$defs/x%2Fnot" } } } },
        $ref: "#/$defs/x%2Fnot",
      },
      /refers to itself/,
    ],
    [
      "a circle through a nameless part",
      { "x-n": {}, properties: { a: { $ref: "#/" } } },
      /may not refer to #\//,
    ],
    [
      "a circle through a part with an id",
      {
        "x-n": { $id: "http://e/", a: { properties: { a: { $ref: "#/a" } } } },
        $ref: "#/x-n/a",
      },
      /with an \$id/,
    ],
    ["a dynamic reference", { $dynamicRef: "#a" }, /not a supported keyword/],
    ["an anchor", { $defs: { a: { $anchor: "a" } } }, /not a supported keyword/],
    ["a part with an id", { properties: { a: { $id: "b" } } }, /only at its root/],
    ["$async", { $async: true }, /not a supported keyword/],
    ["$data", { properties: { a: { maximum: { $data: "1/b" } } } }, /maximum must be number/],
    ["__proto__", JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'), /__proto__/],
    ["a zero byte", { title: "a\0" }, /valid Unicode/],
    ["half a character", { required: ["\ud800"] }, /valid Unicode/],
    [
      "a number beyond all numbers",
      JSON.parse('{"properties": {"n": {"minimum": 1e999}}}'),
      /number that is too large/,
    ],
    ["one within an enum", JSON.parse('{"enum": [[-1e999]]}'), /number that is too large/],
    ["17 levels", nested(17), /nested deeper/],
    ["17 levels through references", { $ref: "#/$defs/a", $defs: { a: nested(16) } }, /nested deeper/],
    ["65 levels of values", { const: JSON.parse("[".repeat(65) + "]".repeat(65)) }, /nested deeper/],
    ["too many bytes", { description: "x".repeat(65_536) }, /at most 65536 bytes/],
    ["too many values", { enum: Array.from({ length: 3_001 }, (_, i) => i) }, /too large/],
    [
      "too many values for each item",
      { items: { enum: Array.from({ length: 1_001 }, (_, i) => i) } },
      /each item/,
    ],
    // Each of these took half a second or more to compile.
    ["many different patterns", { allOf: manyOf(400, String) }, /all patterns together/],
    [
      "classes of hundreds of others",
      { allOf: manyOf(30, (i) => `[${"\\p{L}\\p{Lu}".repeat(90)}${String.fromCodePoint(0x4e00 + i)}]`) },
      /all patterns together/,
    ],
    ["many names that one asks for", { dependentRequired: { a: manyNames(2_900) } }, /too large: more than/],
    [
      "the same in draft 7",
      { $schema: "http://json-schema.org/draft-07/schema", dependencies: { a: manyNames(2_900) } },
      /too large: more than/,
    ],
    [
      "many properties to keep track of",
      {
        properties: Object.fromEntries(manyNames(2_900).map((name) => [name, true])),
        unevaluatedProperties: false,
      },
      /too large: more than/,
    ],
    [
      "many references",
      {
        $defs: Object.fromEntries(manyNames(990).map((name, i) => [name, { minLength: i }])),
        allOf: manyNames(990).map((name) => ({ $ref: `#/$defs/${name}` })),
      },
      /too large: more than/,
    ],
    ["too much code", { allOf: Array.from({ length: 900 }, (_, i) => ({ not: { const: i } })) }, /4 MiB/],
    [
      "a name that all within it repeat",
      { properties: { ["x".repeat(257)]: {} } },
      /more than 256 characters/,
    ],
    [
      "a long text for many",
      { $defs: { a: { const: "x".repeat(50_000) } }, allOf: Array(300).fill({ $ref: "#/$defs/a" }) },
      /too large: more than/,
    ],
    ["an unknown format", { format: "credit-card" }, /unknown format/],
    ["a pattern that needs backtracking", { pattern: "(a)\\1" }, /pattern that can't be used/],
    ["many large patterns", { allOf: manyOf(2_350, (i) => `a{990}${i}`) }, /all patterns together/],
    ["a repetition of a thousand", { pattern: "(?:){3000}" }, /invalid repeat count/],
    [
      "many classes of characters",
      { allOf: manyOf(450, (i) => `[\\p{L}${String.fromCodePoint(0x4e00 + i)}]`) },
      /all patterns together/,
    ],
    [
      "classes that are used nowhere",
      {
        pattern: `(?:${manyOf(450, (i) => `\\u${4_096 + i}`)
          .map(({ pattern }) => pattern)
          .join("")}){0}`,
      },
      /pattern that can't be used/,
    ],
    [
      "large patterns for names",
      {
        patternProperties: Object.fromEntries(
          manyOf(20, (i) => `a{990}${i}`).map((each) => [each.pattern, {}]),
        ),
      },
      /all patterns together/,
    ],
    [
      "large patterns that nothing refers to",
      { $defs: Object.fromEntries(manyOf(20, (i) => `a{990}${i}`).map((each, i) => [i, each])) },
      /all patterns together/,
    ],
    ["a name's pattern that is none", { patternProperties: { "(": {} } }, /pattern that can't be used/],
    ["unique items of any kind", { uniqueItems: true }, /maxItems/],
    ["many unique items", { uniqueItems: true, items: { type: "object" }, maxItems: 257 }, /maxItems/],
    ["what can't be compiled", { nullable: true }, /can't be used/],
  ];
  test.each(refused)("with %s", (_, schema, reason) => expect(schemaProblem(schema)).toMatch(reason));

  test("or accepted, but never with an exception, whatever it is", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "$ref",
      "allOf",
      "enum",
      "pattern",
      "format",
      "$defs",
      "required",
      "if",
      "x",
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue(),
        fc.dictionary(keyword, fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })), {
          maxKeys: 3,
        }),
      ),
    }));
    fc.assert(
      fc.property(schema, (value) => {
        const problem = schemaProblem(value);
        if (problem === null) compileSchema(value as JsonSchema).validate({ a: [1, "b"] });
      }),
      { numRuns: 500 },
    );
  });
});

describe("compiling", () => {
  const branches = Array.from({ length: 400 }, (_, i) => ({ not: { const: `a${i}` } }));
  const split = (names: string[], parts: number) => {
    const each = names.length / parts;
    return Array.from({ length: parts }, (_, i) => names.slice(i * each, (i + 1) * each));
  };
  const names = manyNames(2_660);
  test.each<[string, JsonSchema, JsonSchema]>([
    ["`oneOf` takes no more time than `anyOf`", { oneOf: branches }, { anyOf: branches }],
    [
      "long lists of required names takes no more time than short ones",
      { allOf: split(names, 14).map((required) => ({ required })) },
      { allOf: split(names, 95).map((required) => ({ required })) },
    ],
    [
      "long lists of values takes no more time than short ones",
      { allOf: split(names, 14).map((values) => ({ enum: values })) },
      { allOf: split(names, 95).map((values) => ({ enum: values })) },
    ],
    [
      "multiples takes no more time than maxima",
      { allOf: Array.from({ length: 600 }, (_, i) => ({ multipleOf: i + 1 })) },
      { allOf: Array.from({ length: 600 }, (_, i) => ({ maximum: i + 1 })) },
    ],
  ])("%s", (_, schema, other) => {
    // Alternates, because the compiler's warm-up and the machine affect both.
    const rounds = Array.from({ length: 7 }, () => [cpuOf(schema), cpuOf(other)] as const);
    const fastest = Math.min(...rounds.map(([of]) => of));
    const fastestOther = Math.min(...rounds.map(([, of]) => of));
    expect(fastest / fastestOther).toBeLessThan(4);
  });

  function cpuOf(schema: JsonSchema): number {
    const before = process.cpuUsage();
    compileSchema(schema);
    return process.cpuUsage(before).user;
  }
});

describe("a compiled schema", () => {
  test("weighs more if it is larger", () => {
    const weights = [
      {},
      { enum: Array.from({ length: 1_000 }, (_, i) => i) },
      { allOf: manyOf(9, (i) => `a{990}${i}`) },
      { allOf: Array.from({ length: 500 }, (_, i) => ({ not: { const: i } })) },
    ].map((schema) => compileSchema(schema).weight);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
    expect((weights.at(-1) ?? 0) / (weights[0] ?? 0)).toBeGreaterThan(100);
  });
});

describe("data that does not match", () => {
  const failing: [string, JsonSchema, unknown, string][] = [
    ["lacks a property", { required: ["amount"] }, {}, "data must have required property 'amount'"],
    [
      "is of another type",
      { properties: { amount: { type: "number" } } },
      { amount: "1" },
      "data.amount must be number",
    ],
    [
      "is out of range",
      { properties: { a: { properties: { b: { minimum: 0 } } } } },
      { a: { b: -1 } },
      "data.a.b must be >= 0",
    ],
    [
      "has a bad item",
      { properties: { list: { items: { type: "string" } } } },
      { list: ["a", 1] },
      "data.list[1] must be string",
    ],
    [
      "has too much",
      { properties: {}, additionalProperties: false },
      { extra: 1 },
      "data must NOT have additional properties: extra",
    ],
    [
      "has a bad format",
      { properties: { at: { format: "date-time" } } },
      { at: "yesterday" },
      'data.at must match format "date-time"',
    ],
    [
      "has a bad pattern",
      { properties: { id: { pattern: "^evt_" } } },
      { id: "x" },
      'data.id must match pattern "^evt_"',
    ],
    [
      "is no multiple",
      { properties: { price: { multipleOf: 0.01 } } },
      { price: 19.995 },
      "data.price must be multiple of 0.01",
    ],
    [
      "has odd names",
      { properties: { "a/b~": { type: "string" } } },
      { "a/b~": 1 },
      "data.a/b~ must be string",
    ],
  ];
  test.each(failing)("and %s is reported", (_, schema, data, message) => {
    expect(schemaProblem(schema)).toBeNull();
    expect(compileSchema(schema).validate(data)).toBe(message);
  });

  test("is described in few words, however long its names", () => {
    const schema = { properties: {}, additionalProperties: false };
    expect(compileSchema(schema).validate({ ["x".repeat(10_000)]: 1 })?.length).toBeLessThan(200);
  });
});

describe("data that matches", () => {
  test("passes unchanged", () => {
    const data = { amount: 1 };
    const schema = {
      required: ["amount"],
      properties: { amount: { minimum: 0 }, currency: { default: "EUR" } },
    };
    expect(compileSchema(schema).validate(data)).toBeNull();
    expect(data).toEqual({ amount: 1 });
  });

  test("passes the schema of its draft", () => {
    const draft7 = {
      $schema: "http://json-schema.org/draft-07/schema",
      properties: { a: { items: [{ type: "string" }] } },
    };
    expect(compileSchema(draft7).validate({ a: ["x", 1] })).toBeNull();
    expect(compileSchema(draft7).validate({ a: [1] })).toBe("data.a[0] must be string");
  });

  test("may be decimals for which no quotient of doubles is exact", () => {
    const prices = { items: { multipleOf: 0.01 } };
    expect(compileSchema(prices).validate([19.99, 0.07, 4.35, 1e21])).toBeNull();
  });

  test("may have names that every object has", () => {
    const schema = { properties: { constructor: { type: "string" }, hasOwnProperty: { type: "string" } } };
    expect(compileSchema(schema).validate({})).toBeNull();
    expect(compileSchema(schema).validate({ constructor: 1 })).toBe("data.constructor must be string");
  });
});

describe("one account's schema", () => {
  test("is separate from another account's schema with the same id", () => {
    const id = "https://example.com/same.json";
    const strict = compileSchema({ $id: id, type: "string" });
    const lax = compileSchema({ $id: id });
    expect([strict.validate(1), lax.validate(1)]).toEqual(["data must be string", null]);
  });

  test("distinguishes two patterns", () => {
    const { validate } = compileSchema({ properties: { a: { pattern: "^a" }, b: { pattern: "^b" } } });
    expect(validate({ a: "a", b: "b" })).toBeNull();
    expect(validate({ a: "a", b: "a" })).toBe('data.b must match pattern "^b"');
  });

  const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`property${i}`, 1]));
  const manyPatterns = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`^(.*${i}.*)+$`, { type: "number" }]),
  );
  const manyValues = Array.from({ length: 900 }, (_, i) => `value${i}`);
  const slow: [string, JsonSchema, unknown][] = [
    ["many patterns for many names", { patternProperties: manyPatterns }, names],
    ["a pattern for a long text", { pattern: "^(a|b)*c*$" }, "ab".repeat(500_000)],
    ["many comparisons for many items", { items: { enum: manyValues } }, Array(300_000).fill("value899")],
    ["many counts of a long text", { allOf: Array(500).fill({ maxLength: 1e6 }) }, "x".repeat(1e6)],
    [
      "many counts of a long name",
      { propertyNames: { allOf: Array(300).fill({ maxLength: 1e6 }) } },
      { ["x".repeat(1e6)]: 1 },
    ],
    [
      "comparing items",
      { items: { uniqueItems: true, maxItems: 256 } },
      Array(300).fill(Array.from({ length: 256 }, (_, a) => ({ a }))),
    ],
  ];
  test.each(slow)("can't use up the time by %s", (_, schema, data) => {
    expect(schemaProblem(schema)).toBeNull();
    const { validate } = compileSchema(schema);
    const before = process.cpuUsage();
    expect(validate(data)).toMatch(/^data (takes too long|is too large)/);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  test("does not refuse large data that it hardly reads", () => {
    const schema = { items: { properties: { id: { type: "string", format: "uuid", maxLength: 36 } } } };
    const data = Array.from({ length: 20_000 }, () => ({ id: "018f4c1e-7b1a-7000-8000-0123456789ab", n: 1 }));
    expect(compileSchema(schema).validate(data)).toBeNull();
  });

  test("can't exhaust the stack", () => {
    const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000));
    const schema = { properties: { a: { uniqueItems: true, maxItems: 2 } } };
    expect(compileSchema(schema).validate({ a: [deep, structuredClone(1)] })).toBeNull();
    expect(compileSchema(schema).validate({ a: [deep, deep] })).toBeString();
  });
});
