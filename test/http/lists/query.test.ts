import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../../../src/api/errors";
import { Query, refuseUnknownParameters } from "../../../src/api/lists/query";

const NAMES = ["limit", "cursor", "after", "event", "status"] as const;
const query = (text: string) => new Query(`http://host/v1/webhooks?${text}`, NAMES);

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("query parameters", () => {
  test("are decoded", () => {
    expect(query("event=order.%C3%A9%20x+y").text("event")).toBe("order.é x y");
    expect(query("ev%65nt=a").text("event")).toBe("a");
    const prefixed = new Query("http://host/v1/webhooks?data.%EF%BF%BD%C3%A9=1", NAMES, "data.");
    expect(prefixed.prefixed()).toEqual([["\ufffdé", "1"]]);
  });

  test("that are unknown here are ignored, whatever they are", () => {
    expect(query("foo=1&foo=2&bar=%zz&=&limit=3").count("limit")).toBe(3);
    expect(new Query("http://host/v1/webhooks", NAMES).has("limit")).toBe(false);
  });

  test.each([
    ["limit=1&limit=2", "limit is given more than once"],
    ["limit=", "limit must not be empty"],
    ["limit", "limit must not be empty"],
    ["event=%00", "event must not contain control characters"],
    ["event=%7F", "event must not contain control characters"],
    ["event=%ff", "event is not valid percent-encoded UTF-8"],
    ["event=%zz", "event is not valid percent-encoded UTF-8"],
    ["event=%ED%A0%80", "event is not valid percent-encoded UTF-8"],
  ])("%s is refused", (text, message) => {
    expect(refusalOf(() => query(text))).toBe(message);
  });

  test.each([
    ["data.%00=1", "the name behind data. must not contain control characters"],
    ["%64ata.a%1fb=1", "the name behind data. must not contain control characters"],
    ["data.%ff=1", "the name behind data. must be percent-encoded UTF-8"],
    ["d%61ta.%ED%A0%80=1", "the name behind data. must be percent-encoded UTF-8"],
    ["data.%zz%ff=1", "the name behind data. must be percent-encoded UTF-8"],
  ])("%s is refused, since its prefix is ours", (text, message) => {
    expect(refusalOf(() => new Query(`http://host/v1/webhooks?${text}`, NAMES, "data."))).toBe(message);
    expect(query(text).given(NAMES)).toEqual([]);
  });

  test.each(["0", "-1", "1.5", "1e3", "0x10", "abc", "+5", "NaN", "Infinity", "٣", "00"])(
    "a count can't be %s",
    (text) => {
      expect(refusalOf(() => query(`limit=${encodeURIComponent(text)}`).count("limit"))).toBe(
        "limit must be a positive whole number",
      );
    },
  );

  test("a count of too many digits counts as a large one", () => {
    expect(query(`limit=${"9".repeat(400)}`).count("limit")).toBe(1e12);
    expect(query("limit=007").count("limit")).toBe(7);
  });

  test.each([
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2026-01-31T12:00Z", Date.UTC(2026, 0, 31, 12)],
    ["2026-01-31T12:00:00.123Z", Date.UTC(2026, 0, 31, 12, 0, 0, 123)],
    ["2026-01-31T12:00:00%2B02:00", Date.UTC(2026, 0, 31, 10)],
    ["2026-01-31T12:00:00+02:00", Date.UTC(2026, 0, 31, 10)],
    ["2026-01-31T12:00:00.123456789Z", Date.UTC(2026, 0, 31, 12, 0, 0, 124)],
    ["2026-01-31T12:00:00+0200", Date.UTC(2026, 0, 31, 10)],
    ["2026-01-31T12:00:00+02", Date.UTC(2026, 0, 31, 10)],
    ["2026-01-31+12:00", Date.UTC(2026, 0, 31, 12)],
    ["2026-01-31%2012:00", Date.UTC(2026, 0, 31, 12)],
    ["2026-01-31%2012:00:00+02:00", Date.UTC(2026, 0, 31, 10)],
    ["2026-01-31+12:00:00+02", Date.UTC(2026, 0, 31, 10)],
    ["20260131T120000+0200", Date.UTC(2026, 0, 31, 10)],
    ["20260131T120000Z", Date.UTC(2026, 0, 31, 12)],
  ])("%s is a time", (text, ms) => {
    expect(query(`after=${text}`).instant("after")).toBe(ms);
  });

  test.each([
    "yesterday",
    "2026",
    "2026-13-01",
    "2026-02-30T25:00Z",
    "1763750000000",
    "0000-01-01",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-23:59",
  ])("%s is not a time", (text) => {
    expect(refusalOf(() => query(`after=${encodeURIComponent(text)}`).instant("after"))).toStartWith(
      "after must be an ISO 8601 timestamp",
    );
  });

  test.each([
    ["limti=1", "limti is not a query parameter of this operation; did you mean limit?"],
    ["limit=1&x_zzz", "x_zzz is not a query parameter of this operation; it has limit, data.<field>"],
    ["=1", '"" is not a query parameter of this operation; it has limit, data.<field>'],
    ["%ff%fe=1", "\ufffd\ufffd is not a query parameter of this operation; it has limit, data.<field>"],
    ["%00=1", '"\\u0000" is not a query parameter of this operation; it has limit, data.<field>'],
    ["%64at.a=1", "dat.a is not a query parameter of this operation; did you mean data.<field>?"],
  ])("%s is unknown", (text, message) => {
    const check = () => refuseUnknownParameters(`http://host/x?${text}`, ["limit", "data.<field>"]);
    expect(refusalOf(check)).toBe(message);
  });

  test.each(["", "?", "?&&", "?limit=1&", "?%6Cimit=1", "?data.=1", "?d%61ta.%ff=1"])(
    "%j has no unknown parameter",
    (text) => refuseUnknownParameters(`http://host/x${text}`, ["limit", "data.<field>"]),
  );

  test("an enum accepts one of its values", () => {
    expect(query("status=a").oneOf("status", ["a", "b"])).toBe("a");
    expect(refusalOf(() => query("status=A").oneOf("status", ["a", "b"]))).toBe("status must be one of a, b");
  });

  test("never fail otherwise", () => {
    const check = fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
      try {
        const read = query(text.replaceAll("#", ""));
        read.count("limit");
        read.instant("after");
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    });
    fc.assert(check, { numRuns: 1_000 });
  });
});
