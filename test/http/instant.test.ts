import { expect, test } from "bun:test";
import { formatInstant, readInstant } from "../../src/http/instant";

test.each([
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T12:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00:00.5+02:00", "2026-01-31T10:00:00.500Z"],
  ["2026-01-31T12:00:00.123Z", "2026-01-31T12:00:00.123Z"],
  ["2026-01-31T12:00:00.123000Z", "2026-01-31T12:00:00.123Z"],
  ["2026-01-31T12:00:00.1231Z", "2026-01-31T12:00:00.124Z"],
  ["2026-01-31T12:00:00.123000001Z", "2026-01-31T12:00:00.124Z"],
  ["2026-01-31T23:59:59.999999Z", "2026-02-01T00:00:00.000Z"],
])("the moment %s is read as %s: no earlier, and less than a millisecond later", (text, read) => {
  expect(formatInstant(readInstant("after", text))).toBe(read);
});

test.each(["2026-02-30", "2026-01-31T12:00:00", "9999-12-31T23:59:59.9999Z", "0000-12-31"])(
  "%s is refused",
  (text) => {
    expect(() => readInstant("after", text)).toThrow("after must be an ISO 8601 timestamp");
  },
);
