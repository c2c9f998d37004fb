import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseDuration } from "../../../src/runtime/text/duration";

test.each([
  ["200ms", 200],
  ["5s", 5_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["5d", 432_000_000],
  ["0s", 0],
  ["1.5s", 1_500],
  ["0.001s", 1],
  [" 5s ", 5_000],
])("%p is %p ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  " ",
  "5",
  "s",
  "5 s",
  "-5s",
  "+5s",
  "5S",
  "5sec",
  "5s 5s",
  "1h30m",
  "1e3s",
  ".5s",
  "5.s",
  "0x5s",
  "Infinitys",
  "NaNs",
  "٥s",
  "5s\n5s",
])("%p is not a duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});

test("every whole number of every unit is read exactly", () => {
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
  fc.assert(
    fc.property(fc.nat(100_000), unit, (count, name) => {
      expect(parseDuration(`${count}${name}`)).toBe(count * units[name]);
    }),
  );
});

test("any text is null or a whole, non-negative number of milliseconds", () => {
  const almost = fc.stringMatching(/^[-+.\d a-z]{0,12}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), almost), (text) => {
      const ms = parseDuration(text);
      if (ms !== null) expect(Number.isInteger(ms) && ms >= 0).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
