import { describe, expect, test } from "bun:test";
import { celOf } from "../../../src/event-types/filter/cel-json";
import { MAX_FILTER_STEPS } from "../../../src/event-types/filter/filter-budget";
import {
  type FilterVerdict,
  filterProblem,
  MAX_FILTER_LENGTH,
  MAX_FILTER_PARTS,
  PayloadFilter,
} from "../../../src/event-types/filter/payload-filter";

const METADATA = new Map([["customer", "c1"]]);

function judge(filter: string, json: string, event: string | null = "order.paid") {
  return new PayloadFilter(filter).judge({ event, data: celOf(json), metadata: METADATA });
}

const PAYLOAD = `{"n": 1, "price": 9.5, "big": 9007199254740993, "low": -9007199254740993, "huge": 99999999999999999999,
  "customer": "c1", "text": "Größe XL", "nothing": null, "constructor": {"name": "own"}, "__proto__": {"a": 1},
  "items": [{"sku": "a", "count": 2}, {"sku": "b", "count": 0}]}`;

const CASES: [string, FilterVerdict | RegExp][] = [
  ["event == 'order.paid' && data.n == 1", "match"],
  ["event.startsWith('order.') && data.price > 9", "match"],
  ["data.customer == metadata.customer", "match"],
  ["data.price >= 9.5 && data.price < 10.0", "match"],
  ["data.n + 1.0 == 2.0", "match"],
  ["int(data.n) % 2 == 1", "match"],
  // A double would make the next two equal.
  ["data.big == 9007199254740993", "match"],
  ["data.big == 9007199254740992", "no_match"],
  ["data.low < -9007199254740992", "match"],
  ["data.huge > 9007199254740993", "match"],
  ["has(data.nope)", "no_match"],
  ["has(data.nope) && data.nope == 1", "no_match"],
  ["data.n == 1 || data.nope == 1", "match"],
  ["data.nope == 1", /field not found: nope/],
  ["data.nothing == null", "match"],
  ["data.items.exists(i, i.sku == 'a' && i.count > 1)", "match"],
  ["data.items.all(i, i.count > 0)", "no_match"],
  ["data.items.filter(i, i.count == 0).map(i, i.sku) == ['b']", "match"],
  ["size(data.items) == 2 && data.items[0].sku == 'a'", "match"],
  ["data.text.matches('^Gr(ö|oe)ße') && data.text.lowerAscii().endsWith('xl')", "match"],
  ["data.constructor.name == 'own' && data['__proto__'].a == 1", "match"],
  ["data.toString == 1", /field not found/],
  ["timestamp('2026-01-31T12:00:00Z') < timestamp('2026-02-01T00:00:00+01:00')", "match"],
  ["data.n", /neither true nor false/],
  ["data.n > 'a'", /no matching overload/],
];

test.each(CASES)("%s", (filter, verdict) => {
  const judged = judge(filter, PAYLOAD).verdict;
  if (verdict instanceof RegExp) expect(judged).toEqual({ error: expect.stringMatching(verdict) });
  else expect(judged).toBe(verdict);
});

test("any JSON value is accepted as data, and an event may have no type", () => {
  expect(judge("data == 'a' && event == null", '"a"', null).verdict).toBe("match");
  expect(judge("data[1] == 2", "[1, 2]").verdict).toBe("match");
  expect(judge("data == null", "null").verdict).toBe("match");
});

describe("an invalid filter is refused with the reason", () => {
  test.each([
    ["", /is not a CEL expression/],
    ["event ==", /is not a CEL expression: line 1, character \d+: /],
    ["dat.n == 1", /has dat, which it does not know; did you mean data\?/],
    ["data.items.exists(i, j)", /has j/],
    ["fetch('http://a')", /has fetch, which is not a function/],
    ["Foo{a: 1} == 1", /can't make a Foo/],
    ["data.text.matches(event)", /must have a text literal/],
    ["data.text.matches('(a')", /pattern that is not supported/],
    ["data.text.matches('(?=a)')", /pattern that is not supported/],
    ...[
      "1 + 1",
      "'true'",
      "event",
      "metadata",
      "size(data.items)",
      "data.n - 1",
      "[true]",
      "{'a': true}",
      "data.items.filter(i, i.count > 1)",
      "data.items.map(i, i.sku)",
      "has(data.n) ? 1 : 2",
    ].map((filter): [string, RegExp] => [filter, /is never true or false/]),
    ["(".repeat(2_000) + ")".repeat(2_000), /at most 32 brackets/],
    [Array(MAX_FILTER_PARTS).fill("true").join("&&"), /at most 500 parts/],
    [`'${"a".repeat(MAX_FILTER_LENGTH)}' == event`, /at most 4096 characters/],
  ])("%s", (filter, problem) => expect(filterProblem(filter)).toMatch(problem));
});

describe("a filter's cost is bounded, and no error hides that it exceeds the bound", () => {
  const LARGE = JSON.stringify({
    numbers: Array.from({ length: 100_000 }, (_, i) => i),
    texts: Array.from({ length: 2_000 }, () => "x".repeat(200)),
    text: "x".repeat(400_000),
  });
  test.each([
    "data.numbers.all(a, data.numbers.all(b, true)) || true",
    "data.numbers.exists(a, data.numbers.exists(b, b.nope)) || true",
    "data.texts.exists(a, data.text.contains(a + 'y')) || true",
    "data.texts.exists(a, data.text.matches('(x+x+)+y')) || true",
    "data.texts.map(a, data) == data.texts.map(a, data) || true",
    "data.numbers.filter(a, true).size() == 0 || true",
    "data.text + data.text == '' || true",
    "int(data.text) == 1 || true",
    "data.texts.exists(a, data in [data, data]) || true",
  ])("%s", (filter) => {
    const { verdict, steps } = judge(filter, LARGE);
    expect(verdict).toEqual({ error: "the filter takes too many steps for this event" });
    expect(steps).toBeLessThanOrEqual(MAX_FILTER_STEPS);
  });

  test("ordinary filters over thousands of items stay far below the bound", () => {
    expect(judge("data.texts.exists(a, a == 'y')", LARGE)).toMatchObject({ verdict: "no_match" });
  });
});
