import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rawField } from "../../src/client/raw-field";

const textOf = (json: string) => rawField(json, "data")?.text;

describe("the text of a field", () => {
  test.each([
    ["numbers beyond 2^53", '{"data":{"n":9007199254740993123}}', '{"n":9007199254740993123}'],
    ["the spelling of numbers", '{"data":{"n":1.50e+02}}', '{"n":1.50e+02}'],
    ["key order", '{"data":{"b":1,"a":2,"1":3,"0":4}}', '{"b":1,"a":2,"1":3,"0":4}'],
    ["duplicate keys inside", '{"data":{"a":1,"a":2}}', '{"a":1,"a":2}'],
    ["escapes", '{"data":{"a":"\\u00e9\\/\\n\\"}"}}', '{"a":"\\u00e9\\/\\n\\"}"}'],
    ["inner white space", '{ "data" : { "a" :\t1 ,\r\n "b":[ ] } }', '{ "a" :\t1 ,\r\n "b":[ ] }'],
    ["the last of duplicates", '{"data":{"a":1},"x":2,"data":{"a":3}}', '{"a":3}'],
    ["an escaped key", '{"d\\u0061ta":{"a":1}}', '{"a":1}'],
    ["an escaped key after a plain one", '{"data":{"a":1},"\\u0064ata":{"a":2}}', '{"a":2}'],
    ["a plain key after an escaped one", '{"\\u0064ata":{"a":1},"data":{"a":2}}', '{"a":2}'],
    ["only the top level", '{"x":{"data":{"a":1}},"data":{"data":{"a":2}}}', '{"data":{"a":2}}'],
    ["values that look like keys", '{"x":"\\"data\\":{}","y":["data"],"data":{}}', "{}"],
    ["strings that end in backslashes", '{"x":"\\\\","data":{"a":"\\\\\\""}}', '{"a":"\\\\\\""}'],
    ["braces in strings", '{"data":{"a":"}]{["}}', '{"a":"}]{["}'],
    ["scalars before it", '{"a":-1.5e-7,"b":true,"c":null,"d":"","data":{}}', "{}"],
    ["a key as long as its escaped form", '{"\\u0061":1,"data":{}}', "{}"],
  ])("keeps %s", (_, json, expected) => {
    expect(textOf(json)).toBe(expected);
  });

  test("is null if there is none", () => {
    expect(textOf("{}")).toBeUndefined();
    expect(textOf('{"dat":{},"dataa":{},"d\\\\ata":{}}')).toBeUndefined();
  });

  test("is found for values of every kind", () => {
    expect(textOf('{"data":12 }')).toBe("12");
    expect(textOf('{"data":"x"}')).toBe('"x"');
    expect(textOf('{"data":null,"a":1}')).toBe("null");
    expect(textOf('{"data": [1,[2]] }')).toBe("[1,[2]]");
  });

  test("comes with its depth", () => {
    const depthOf = (json: string) => rawField(json, "data")?.depth;
    expect(depthOf('{"data":{}}')).toBe(1);
    expect(depthOf('{"data":{"a":[{}],"b":{}}}')).toBe(3);
    expect(depthOf('{"data":{"a":"[[[["}}')).toBe(1);
    expect(depthOf(`{"data":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`)).toBe(5_000);
  });
});

describe("against JSON.parse", () => {
  const KEYS = ["data", "dat", "dataa", 'da"ta', "da\\ta", "", "__proto__", "é"];
  const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

  /** A key as JSON text, with any of its characters escaped. */
  const keyText = fc
    .tuple(fc.constantFrom(...KEYS), fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }))
    .map(([key, escaped]) => {
      const characters = [...key].map((char, i) =>
        escaped[i]
          ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
          : JSON.stringify(char).slice(1, -1),
      );
      return `"${characters.join("")}"`;
    });

  const valueText = fc
    .tuple(fc.json(), fc.constantFrom(undefined, 1, "\t"))
    .map(([json, indent]) => JSON.stringify(JSON.parse(json), null, indent));

  const objectText = fc
    .array(fc.tuple(space, keyText, space, space, valueText, space), { maxLength: 8 })
    .map((fields) => fields.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(","))
    .map((inside) => `{${inside}}`);

  test("finds the values that JSON.parse finds, as slices of the text", () => {
    const check = fc.property(space, objectText, space, (before, object, after) => {
      const json = `${before}${object || "{}"}${after}`;
      const parsed = JSON.parse(json) as Record<string, unknown>;
      const raw = rawField(json, "data");
      expect(raw !== null).toBe(Object.hasOwn(parsed, "data"));
      if (raw === null) return;
      expect(JSON.parse(raw.text)).toEqual(parsed.data);
      expect(raw.text).toBe(raw.text.trim());
      expect(json).toContain(raw.text);
    });
    fc.assert(check, { numRuns: 2_000 });
  });
});
