import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHttpDate, parseRetryAfter } from "../../src/attempt/http1/retry-after";
import { MAX_RETRY_AFTER_MS } from "../../src/domain/retry-policy";

// The date of all examples in RFC 9110.
const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["1", 1_000],
    ["120", 120_000],
    [" 120 ", 120_000],
    ["00120", 120_000],
    ["3600", 3_600_000],
    ["3601", 3_600_000],
    ["9".repeat(400), 3_600_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
    ["Sun Nov  6 08:49:37 1994", 37_000],
    ["sun, 06 nov 1994 08:49:37 gmt", 37_000],
    ["Sun, 06 Nov 1994 08:49:37 UTC", 37_000],
    ["Sun, 06 Nov 1994 08:49:37 +0000", 37_000],
    ["Sunday, 06-Nov-94 08:49:37 -0000", 37_000],
    ["1.5", 1_500],
    ["0.0001", 1],
    ["3599.9995", 3_600_000],
    ["Sun, 06 Nov 1994 23:49:37 GMT", 3_600_000],
    ["Fri, 31 Dec 9999 23:59:60 GMT", 3_600_000],
  ])("%j is %d ms from 08:49:00", (value, ms) => {
    expect(parseRetryAfter(value, EXAMPLE - 37_000)).toBe(ms);
  });

  test.each([
    "",
    " ",
    "-1",
    "+1",
    "1.",
    ".5",
    "1.5.5",
    "-1.5",
    "1e3",
    "0x10",
    "1,2",
    "1 second",
    "soon",
    "NaN",
    "Infinity",
    "١٢",
    "1996-11-06T08:49:37Z",
    "Sun, 06 Nov 1996 08:49:37",
    "Sun, 06 Nov 1996 08:49:37 +0100",
    "Sun, 06 Nov 1996 08:49 GMT",
    "Sun, 06 Nov 96 08:49:37 GMT",
    "Sun, 31 Feb 1996 08:49:37 GMT",
    "Sun, 00 Nov 1996 08:49:37 GMT",
    "Sun, 06 Foo 1996 08:49:37 GMT",
    "Sun, 06 Nov 1996 24:00:00 GMT",
    "Sun, 06 Nov 1996 08:60:00 GMT",
    "Sun, 06 Nov 1996 08:49:61 GMT",
    "Xyz, 06 Nov 1996 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:48:59 GMT",
    "Sun, 06 Nov 1994 08:49:00 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
  ])("%j is ignored", (value) => {
    expect(parseRetryAfter(value, EXAMPLE - 37_000)).toBeNull();
  });

  test("is within its bounds or ignored, whatever it says", () => {
    const digits = fc.nat().map(String);
    const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits, dates), fc.nat(4_102_444_800_000), (value, now) => {
        const ms = parseRetryAfter(value, now);
        if (ms !== null) expect(ms >= 0 && ms <= MAX_RETRY_AFTER_MS && Number.isInteger(ms)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("with a date is the time until then", () => {
    fc.assert(
      fc.property(fc.nat(4_102_444_800), fc.integer({ min: 1, max: 3_600 }), (now, ahead) => {
        const value = new Date((now + ahead) * 1_000).toUTCString();
        expect(parseRetryAfter(value, now * 1_000)).toBe(ahead * 1_000);
        expect(parseRetryAfter(value, (now + ahead) * 1_000)).toBeNull();
      }),
    );
  });
});

describe("an HTTP date", () => {
  const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

  test("is the same instant in all three forms", () => {
    const now = Date.UTC(2030, 0, 1);
    const instants = fc.integer({ min: Date.UTC(1990, 0, 1) / 1_000, max: Date.UTC(2069, 11, 31) / 1_000 });
    fc.assert(
      fc.property(instants, (seconds) => {
        const date = new Date(seconds * 1_000);
        const fixdate = date.toUTCString();
        const [, day = "", month = "", year = "", time = ""] = fixdate.split(" ");
        const rfc850 = `${DAYS[date.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
        const asctime = `${fixdate.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
        for (const text of [fixdate, rfc850, asctime]) expect(parseHttpDate(text, now)).toBe(seconds * 1_000);
      }),
    );
  });

  test("with a two-digit year more than fifty years ahead is of the past century", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(parseHttpDate("Sunday, 06-Nov-76 08:49:37 GMT", now)).toBe(Date.UTC(2076, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Sunday, 06-Nov-77 08:49:37 GMT", now)).toBe(Date.UTC(1977, 10, 6, 8, 49, 37));
  });
});
