import { expect, test } from "bun:test";
import fc from "fast-check";
import { oneLine, plain, plainJson } from "../../src/cli/plain";
import { rawJson } from "../../src/client";

/** Characters that a terminal acts on instead of showing them. */
const ACTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

const nasty = fc.string({
  unit: fc.oneof(
    fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom("\u001b[2J", "\u009b31m", "\u202e", "\r", "\n", "\t", "\u007f", "a"),
  ),
});

test("no text controls the terminal", () => {
  fc.assert(fc.property(nasty, (text) => expect(plain(text)).not.toMatch(ACTIVE)));
});

test("JSON keeps its value and controls no terminal", () => {
  fc.assert(
    fc.property(fc.dictionary(nasty, nasty), (value) => {
      const json = plainJson(value);
      expect(json).not.toMatch(ACTIVE);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("JSON in one line keeps its text between the line breaks", () => {
  fc.assert(
    fc.property(fc.dictionary(nasty, fc.jsonValue()), fc.constantFrom(1, "\t", " \t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent).replaceAll("\n", "\r\n");
      const line = plainJson(rawJson(oneLine(text)));
      expect(line).not.toMatch(ACTIVE);
      expect(JSON.parse(line)).toEqual(JSON.parse(text));
    }),
  );
  expect(oneLine('{\n  "a": 12345678901234567890\n}')).toBe('{ "a": 12345678901234567890 }');
});
