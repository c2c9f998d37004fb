import { describe, expect, test } from "bun:test";
import { FORMATS } from "../../../src/event-types/schema/format";

const CASES: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ["2026-02-28", "2024-02-29"],
    bad: ["2026-02-29", "2026-13-01", "2026-1-1", "2026-01-32", ""],
  },
  time: { good: ["12:00:00Z", "23:59:60.5+01:00"], bad: ["24:00:00Z", "12:00:00", "12:00Z"] },
  "date-time": {
    good: ["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.123-08:00"],
    bad: ["2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31 T12:00:00Z"],
  },
  duration: {
    good: ["P1D", "PT1H30M", "P1Y2M3DT4H5M6S", "P2W"],
    bad: ["P", "PT", "1D", "P1DT", "P1W2D", "P1S"],
  },
  email: {
    good: ["a@b.example", "first.last+tag@x.co"],
    bad: ["a", "@b", "a@", "a b@c", ".a@b", "a..b@c", "a@b@c", "a@-b"],
  },
  hostname: {
    good: ["a", "a-b.example", "xn--a.com"],
    bad: ["", "-a", "a-", "a..b", "a_b", `${"a".repeat(64)}.com`],
  },
  ipv4: { good: ["127.0.0.1"], bad: ["127.0.0", "256.0.0.1", "::1"] },
  ipv6: { good: ["::1", "2001:db8::1"], bad: ["127.0.0.1", ":::1"] },
  uri: {
    good: ["https://a.example/b?c#d", "urn:a:b"],
    bad: ["/a", "a", "https://a b", "1a:b", "", `urn:${"a".repeat(2_045)}`],
  },
  uuid: { good: ["018f4c1e-7b1a-7000-8000-0123456789AB"], bad: ["018f4c1e7b1a700080000123456789ab", "x"] },
};

function passes(name: string, text: string): boolean {
  return FORMATS[name]?.(text) ?? false;
}

describe.each(Object.entries(CASES))("the format %s", (name, { good, bad }) => {
  test("accepts valid values", () => expect(good.filter((text) => !passes(name, text))).toEqual([]));
  test("refuses others", () => expect(bad.filter((text) => passes(name, text))).toEqual([]));
  test("refuses long values quickly", () => {
    const before = process.cpuUsage();
    for (const character of ["a", "1", "a.", "1:", "@", " "])
      expect(passes(name, character.repeat(500_000))).toBe(false);
    const { user } = process.cpuUsage(before);
    // In microseconds. An expression that backtracks would take minutes.
    expect(user).toBeLessThan(500_000);
  });
});

test("every checked format has its cases", () => {
  expect(Object.keys(FORMATS).toSorted()).toEqual(Object.keys(CASES).toSorted());
});
