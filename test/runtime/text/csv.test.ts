import { expect, test } from "bun:test";
import fc from "fast-check";
import { csvLines, csvText } from "../../../src/runtime/text/csv";

const cell = fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "a", "é") });

test("a spreadsheet never runs a cell as a formula, and gets the quotes, commas and lines of each", () => {
  fc.assert(
    fc.property(cell, (text) => {
      const [, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))\r\n$/.exec(csvLines([[text]])) ?? [];
      const read = quoted?.replaceAll('""', '"') ?? plain;
      expect([text, `'${text}`]).toContain(read ?? "nothing");
      expect(read).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
  expect(
    csvLines([
      ["=1+1", "a", 'b"c'],
      ["1", "", "x,y"],
    ]),
  ).toBe('\'=1+1,a,"b""c"\r\n1,,"x,y"\r\n');
});

test("a file begins with the mark by which Excel reads UTF-8", () => {
  expect([...new TextEncoder().encode(csvText([["é"]]))]).toEqual([0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0x0d, 0x0a]);
});
