import { describe, expect, test } from "bun:test";
import { celOf } from "../../../src/event-types/filter/cel-json";
import { MAX_FILTER_STEPS } from "../../../src/event-types/filter/filter-budget";
import { MAX_FILTER_PARTS } from "../../../src/event-types/filter/inspection";
import {
  type FilterVerdict,
  filterProblem,
  MAX_FILTER_LENGTH,
  PayloadFilter,
} from "../../../src/event-types/filter/payload-filter";

const METADATA = new Map([["customer", "c1"]]);

function judge(filter: string, json: string, event: string | null = "order.paid") {
  return new PayloadFilter(filter).judge({ event, data: celOf(json), metadata: METADATA });
}

const PAYLOAD = `{"n": 1, "price": 9.5, "big": 9007199254740993, "low": -9007199254740993, "huge": 99999999999999999999,
  "customer": "c1", "text": "Größe XL", "nothing": null, "yes": true, "constructor": {"name": "own"}, "__proto__": {"a": 1},
  "items": [{"sku": "a", "count": 2}, {"sku": "b", "count": 0}]}`;

const writeString = (part: string, kind: string) =>
  `${part} is ${kind}, and metadata has texts alone; write string(${part})`;

const CASES: [string, FilterVerdict | RegExp][] = [
  ["event == 'order.paid' && data.n == 1", "match"],
  ["event.startsWith('order.') && data.price > 9", "match"],
  ["data.customer == metadata.customer", "match"],
  ["data.n == metadata.customer", { error: writeString("data.n", "a number") }],
  ["data.n != metadata['customer']", { error: writeString("data.n", "a number") }],
  ["data.big == metadata.customer", { error: writeString("data.big", "a number") }],
  ["data.yes == metadata.customer", { error: writeString("data.yes", "true or false") }],
  ["'c' + string(data.n) == metadata.customer", "match"],
  ["data.items == metadata.customer", "no_match"],
  ["data.price >= 9.5 && data.price < 10.0", "match"],
  ["data.n + 1.0 == 2.0", "match"],
  ["data.n + 1 == 2 && 1 + data.n == 2 && data.n - 1 == 0 && 3 - data.n == 2", "match"],
  ["2 * data.n == 2 && data.price * 2 == 19 && data.n / 4 == 0.25 && 4 / data.n == 4", "match"],
  ["data.n % 2 == 1 && 5 % data.n == 0 && data.price % 2.0 == 1.5 && -3 % 2 == -1", "match"],
  ["data.big % 2 == 1 && data.big + 1 == 9007199254740994", "match"],
  ["data.n % 0 == 1", /modulus by zero/],
  ["// which\n\tdata.n == 1 // one (\r\n  && // and\n  event != null // not null", "match"],
  ["matches(data.text, '^Gr(ö|oe)ße')", "match"],
  ["dyn(data.n) == '1' || dyn(1) == '1'", "no_match"],
  ["metadata.exists(name, name == 'customer' && metadata[name] == 'c1')", "match"],
  ["(has(data.nope) ? data.nope : 'c1') == metadata.customer", "match"],
  ["timestamp('2026-01-31T12:00:00Z') + duration('1h') == timestamp('2026-01-31T13:00:00Z')", "match"],
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
  else expect(judged).toEqual(verdict);
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

describe("a part that can't work is refused with the nearest right form", () => {
  test.each([
    [
      'event.type == "c.a"',
      "uses event.type, but event is the type itself, a text; write event in its place",
    ],
    ['event["type"] == "c.a"', 'uses event["type"], but event is the type itself'],
    ["has(event.type)", "uses has(event.type), but event is the type itself"],
    ["metadata.a.b == '1'", "uses metadata.a.b, but metadata.a is a text, which has no fields"],
    [
      "event == 5",
      'compares event (a text or null) with 5 (a whole number), which is never true; write event == "5"',
    ],
    ["event != 5", 'which is always true; write event != "5"'],
    ['1 == "1"', 'which is never true; write "1" == "1"'],
    ['"a" > 5', 'which have no order; write "a" > "5"'],
    ["data.n == 1 && metadata.x == true", 'write metadata.x == "true"'],
    ["metadata.x == null", "write !has(metadata.x)"],
    ["metadata.x != null", "write has(metadata.x)"],
    ['size(data.a) == "2"', "write size(data.a) == 2"],
    ["size(data.a) == metadata.x", "write string(size(data.a)) == metadata.x"],
    [
      'timestamp(data.a) > "2026-01-01T00:00:00Z"',
      'write timestamp(data.a) > timestamp("2026-01-01T00:00:00Z")',
    ],
    ["data.a.getFullYear() == 2026", "write timestamp(data.a).getFullYear()"],
    ["event + 5 == 'a'", 'write event + "5"'],
    ["data.a.startsWith(5)", 'write data.a.startsWith("5")'],
    ["startsWith(data.a, 'b')", 'write data.a.startsWith("b")'],
    ["data.a.startsWith('b', 'c')", "a form that the function does not have"],
    ["event in [1, 2]", "looks for event (a text or null) in [1, 2] (a list), which never has it"],
    ["1 in metadata", "which never has it"],
    ["event && data.b", 'has event (a text or null) where a condition belongs; write event != ""'],
    ["data.items.exists(i, size(i))", "write size(i) != 0"],
    ["data.items.map(i, size(i)) == 5", "compares data.items.map(i, size(i)) (a list) with 5"],
    ["['a'].exists(x, x == 5)", 'write x == "5"'],
    ["event.exists(x, true)", "walks through event (a text or null)"],
    ["metadata[5] == 'a'", "uses metadata[5], but no key there is a whole number"],
  ])("%s", (filter, problem) => expect(filterProblem(filter)).toContain(problem));
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
