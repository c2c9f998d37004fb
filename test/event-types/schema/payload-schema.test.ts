import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import type { JsonSchema } from "../../../src/domain/json-schema";
import { checkSchema, compileSchema } from "../../../src/event-types/schema/payload-schema";
import { leastMs } from "../../support/slowness";

/** Returns the problem of a schema; null if it can be used. */
function schemaProblem(schema: unknown): string | null {
  const checked = checkSchema(schema);
  return "problem" in checked ? checked.problem : null;
}

/** Returns the warnings about a schema that can be used. */
function warningsOf(schema: unknown): readonly string[] {
  const checked = checkSchema(schema);
  expect(checked).toHaveProperty("warnings");
  return "warnings" in checked ? checked.warnings : [];
}

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
      "of draft 4",
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        id: "http://e/",
        minimum: 0,
        exclusiveMinimum: true,
      },
    ],
    [
      "of draft 2019-09",
      { $schema: "https://json-schema.org/draft/2019-09/schema", dependentRequired: { a: ["b"] } },
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
  test.each(accepted)("is %s", (_, schema) => expect(checkSchema(schema)).toEqual({ warnings: [] }));
});

describe("what can't be checked is named, and the rest is checked:", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );
  // The schema, the warning, and data that the rest of the schema refuses and accepts.
  const kept: [string, JsonSchema, RegExp, unknown, unknown][] = [
    [
      "an unknown draft",
      { $schema: "http://e/", type: "string" },
      /draft http:\/\/e\/, which is not known/,
      1,
      "a",
    ],
    [
      "a misspelt keyword",
      { properties: { a: { requried: ["b"], type: "object" } } },
      /has requried, .*at \/properties\/a\/requried. Did you mean required\?/,
      { a: 1 },
      { a: {} },
    ],
    ["a format", { type: "string", format: "uri-template" }, /format uri-template/, 1, "{"],
    ["content", { type: "string", contentMediaType: "application/json" }, /contentMediaType/, 1, "{"],
    ["OpenAPI's notes", { type: "object", discriminator: {}, xml: {} }, /discriminator/, 1, {}],
    ["an anchor", { type: "string", $anchor: "a" }, /\$anchor/, 1, "a"],
    ["a draft in a part", { not: { $schema: "http://e/", type: "null" } }, /draft below its root/, null, 1],
    ["$async", { $async: true, type: "string" }, /\$async/, 1, "a"],
    ["a remote reference", { type: "string", $ref: "http://e/s.json" }, /other than its own parts/, 1, "a"],
    ["a reference to a name", { type: "string", $ref: "#a" }, /other than its own parts/, 1, "a"],
    ["a dynamic reference", { type: "string", $dynamicRef: "#a" }, /\$dynamicRef/, 1, "a"],
    [
      "a reference into a part with an id",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/b/not" } },
        $defs: { b: { $id: "http://b/", not: {} } },
      },
      /part with an \$id/,
      1,
      { a: 1 },
    ],
    [
      "a reference to a part around it",
      { properties: { child: { $ref: "#" }, a: { type: "string" } } },
      /refers to a part from within it/,
      { a: 1 },
      { a: "", child: { a: 1 } },
    ],
    [
      "references in a circle",
      {
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: {
          a: { type: "object", properties: { b: { $ref: "#/$defs/b" } } },
          b: { anyOf: [{ $ref: "#/$defs/a" }] },
        },
      },
      /refers to a part from within it, .*at \/\$defs\/b\/anyOf\/0/,
      { a: 1 },
      { a: { b: 1 } },
    ],
    [
      "a circle beside a text",
      { type: ["object", "string"], properties: { a: { oneOf: [{ $ref: "#" }, { type: "string" }] } } },
      /oneOf that is checked like anyOf/,
      1,
      { a: "" },
    ],
    [
      "what is negated",
      { type: "string", not: { format: "x" } },
      /keyword not, which is not checked/,
      1,
      "a",
    ],
    [
      "a condition",
      JSON.parse(
        '{"type": "string", "if": {"pattern": "(?=a)"}, "then": {"maxLength": 0}, "else": {"maxLength": 0}}',
      ),
      /keyword if, which is not checked/,
      1,
      "ab",
    ],
    [
      "a name's pattern",
      { type: "object", patternProperties: { "(?!a)": {} }, additionalProperties: false },
      /keyword additionalProperties, which is not checked/,
      1,
      { b: 1 },
    ],
    [
      "a pattern that needs backtracking",
      { type: "string", pattern: "(a)\\1" },
      /pattern that can't/,
      1,
      "b",
    ],
    ["a pattern of another language", { type: "string", pattern: "(?i)a" }, /pattern that can't/, 1, "b"],
    ["a repetition of a thousand", { type: "string", pattern: "(?:){3000}" }, /invalid repeat count/, 1, "b"],
    [
      "classes that are used nowhere",
      {
        type: "string",
        pattern: `(?:${manyOf(450, (i) => `\\u${4_096 + i}`)
          .map(({ pattern }) => pattern)
          .join("")}){0}`,
      },
      /pattern that can't/,
      1,
      "b",
    ],
    ["unique items of any kind", { type: "array", uniqueItems: true }, /maxItems/, 1, [1, 1]],
    [
      "many unique items",
      { uniqueItems: true, items: { type: "object" }, maxItems: 257 },
      /maxItems/,
      [1],
      [{}, {}],
    ],
    ["17 levels", { ...nested(17), type: "object" }, /deeper than 16 schemas/, 1, {}],
    [
      "17 levels through references",
      { type: "object", properties: { b: { $ref: "#/$defs/a" } }, $defs: { a: nested(16) } },
      /deeper than 16 schemas/,
      1,
      {},
    ],
    [
      "references that multiply",
      { type: "object", allOf: [{ $ref: "#/$defs/d0" }], $defs: { ...doubling, d60: { type: "string" } } },
      /too large to check what is nested deeper than \d/,
      1,
      {},
    ],
    [
      "too much code",
      { type: "number", allOf: Array.from({ length: 900 }, (_, i) => ({ not: { const: i } })) },
      /too large to check/,
      "a",
      1,
    ],
    [
      "a long text for many",
      {
        type: "string",
        $defs: { a: { const: "x".repeat(50_000) } },
        allOf: Array(300).fill({ $ref: "#/$defs/a" }),
      },
      /too large to check/,
      1,
      "a",
    ],
    // Each of these took half a second or more to compile.
    [
      "many different patterns",
      { type: "string", allOf: manyOf(400, String) },
      /all patterns together/,
      1,
      null,
    ],
    [
      "classes of hundreds of others",
      {
        type: "string",
        allOf: manyOf(30, (i) => `[${"\\p{L}\\p{Lu}".repeat(90)}${String.fromCodePoint(0x4e00 + i)}]`),
      },
      /all patterns together/,
      1,
      "a",
    ],
    [
      "many large patterns",
      { type: "string", allOf: manyOf(2_350, (i) => `a{990}${i}`) },
      /all patterns together/,
      1,
      null,
    ],
    [
      "many classes of characters",
      { type: "string", allOf: manyOf(450, (i) => `[\\p{L}${String.fromCodePoint(0x4e00 + i)}]`) },
      /all patterns together/,
      1,
      "a",
    ],
    [
      "large patterns for names",
      {
        type: "object",
        patternProperties: Object.fromEntries(
          manyOf(20, (i) => `a{990}${i}`).map((each) => [each.pattern, {}]),
        ),
      },
      /all patterns together/,
      1,
      {},
    ],
  ];
  test.each(kept)("%s", (_, schema, warning, bad, good) => {
    expect(warningsOf(schema).join("\n")).toMatch(warning);
    const { validate } = compileSchema(schema);
    expect(validate(bad)).not.toBeNull();
    if (good !== null) expect(validate(good)).toBeNull();
  });

  test("many kinds of parts, in few words", () => {
    const properties = Object.fromEntries(
      manyNames(200).map((name, i) => [
        "x".repeat(200) + name,
        { [`${"k".repeat(200)}${i}`]: 1, format: `f${i % 50}` },
      ]),
    );
    const warnings = warningsOf({ properties });
    expect(warnings.length).toBe(20);
    expect(warnings.join("").length).toBeLessThan(10_000);
    expect(warnings.at(-1)).toContain("32 other kinds");
  });
});

describe("what can't be checked never makes a schema refuse a payload that it accepts, in", () => {
  // Ajv checks all of it: a format, a pattern with look-ahead, and references in a circle.
  const whole = new Ajv2020({ strict: false, validateSchema: false, formats: { x: /^a/ } });
  const PARTS: readonly JsonSchema[] = [
    { anyOf: [{ format: "x" }] },
    { pattern: "(?=a)" },
    { properties: { a: { $ref: "#" } } },
    { properties: { b: { not: { format: "x" } } } },
    { maxLength: 1 },
    { type: "object" },
  ];
  const PAYLOADS = [
    "",
    "a",
    "ab",
    "b",
    1,
    null,
    {},
    { a: "b" },
    { b: "b" },
    { a: {}, b: "a" },
    ["b"],
    ["a", "b"],
  ];
  const places = (a: JsonSchema, b: JsonSchema): Record<string, JsonSchema> => ({
    not: { not: a },
    oneOf: { oneOf: [a, b] },
    if: conditional(a, b, false),
    else: conditional(a, false, b),
    contains: { contains: a, minContains: 1, maxContains: 1, items: b },
    patternProperties: { patternProperties: { "(?!b)": b, "^b": true }, additionalProperties: a },
    unevaluatedProperties: { ...a, anyOf: [b], unevaluatedProperties: false },
  });
  const conditional = (...parts: (JsonSchema | boolean)[]) =>
    Object.fromEntries(["if", "then", "else"].map((name, i) => [name, parts[i]]));
  const pairs = PARTS.flatMap((a) => PARTS.map((b) => [a, b] as const));
  test.each(Object.keys(places({}, {})))("%s", (place) => {
    let accepted = 0;
    for (const [a, b] of pairs) {
      const schema = places(a, b)[place] ?? {};
      const check = whole.compile(schema);
      const { validate } = compileSchema(schema);
      const refused = PAYLOADS.filter((data) => check(data) && ++accepted && validate(data) !== null);
      expect({ schema, refused }).toEqual({ schema, refused: [] });
    }
    expect(accepted).toBeGreaterThan(20);
  });
});

test("null is accepted where OpenAPI permits it", () => {
  const nullable = { nullable: true };
  const schema = {
    properties: {
      a: { ...nullable, type: "string" },
      b: { ...nullable, enum: [1] },
      c: { ...nullable, $ref: "#/$defs/d" },
    },
    $defs: { d: { type: "object" } },
  };
  expect(checkSchema(schema)).toEqual({ warnings: [] });
  const { validate } = compileSchema(schema);
  expect(validate({ a: null, b: null, c: null })).toBeNull();
  for (const data of [{ a: 1 }, { b: 2 }, { c: "" }]) expect(validate(data)).not.toBeNull();
});

test("a reference is followed, however its target is written", () => {
  const schema = {
    $id: "http://e/s",
    properties: {
      a: { $ref: "http://e/s#/$defs/a%20b" },
      b: { $ref: "#/$defs/a~1b/not" },
      c: { $ref: "#/$defs/t" },
    },
    $defs: { "a b": { type: "string" }, "a/b": { not: { type: "null" } }, t: false },
  };
  expect(checkSchema(schema)).toEqual({ warnings: [] });
  const { validate } = compileSchema(schema);
  expect([{ a: "" }, { b: null }, {}].map((data) => validate(data))).toEqual([null, null, null]);
  expect(validate({ a: 1 })).toBe("data.a must be string");
  expect(validate({ b: 1 })).toBe("data.b must be null");
  expect(validate({ c: 1 })).not.toBeNull();
});

describe("a schema is refused", () => {
  const refused: [string, unknown, RegExp][] = [
    ["no object", [], /must be a JSON object/],
    ["nothing", undefined, /must be a JSON object/],
    [
      "a keyword with a wrong value",
      { properties: { a: { minimum: "1" } } },
      /\/properties\/a\/minimum must be number/,
    ],
    ["an unknown type", { type: "text" }, /valid JSON Schema/],
    ["a part that is no schema", { properties: { a: 7 } }, /not a schema at \/properties\/a/],
    ["a reference to nothing", { $ref: "#/$defs/a" }, /does not exist/],
    ["a reference to what every object has", { $ref: "#/constructor" }, /does not exist/],
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
    ["65 levels of values", { const: JSON.parse("[".repeat(65) + "]".repeat(65)) }, /nested deeper/],
    ["too many bytes", { description: "x".repeat(131_072) }, /at most 131072 bytes/],
    ["too many values", { enum: Array.from({ length: 3_001 }, (_, i) => i) }, /too large/],
    [
      "too many values for each item",
      { items: { enum: Array.from({ length: 1_001 }, (_, i) => i) } },
      /each item/,
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
    [
      "a name that all within it repeat",
      { properties: { ["x".repeat(257)]: {} } },
      /more than 256 characters/,
    ],
    ["a pattern that is none", { pattern: "(" }, /malformed pattern at \/pattern/],
    ["a name's pattern that is none", { patternProperties: { "(": {} } }, /malformed pattern/],
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
    const judged = () => expect(validate(data)).toMatch(/^data (takes too long|is too large)/);
    expect(leastMs(1_000, judged)).toBeLessThan(1_000);
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
