import { expect, test } from "bun:test";
import { isCelError, parse, plan } from "@bufbuild/cel";
import fc from "fast-check";
import { celOf } from "../../../src/event-types/filter/cel-json";
import { environment } from "../../../src/event-types/filter/environment";
import { during, MAX_FILTER_STEPS } from "../../../src/event-types/filter/filter-budget";
import { filterProblem } from "../../../src/event-types/filter/payload-filter";
import { Patterns } from "../../../src/event-types/schema/patterns";

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const JSON_PATHS = oneOf(
  "data",
  "data.a",
  "data.a.b",
  "data['a']",
  "data.list[0]",
  "(has(data.a) ? data.a : 1)",
);

/** Texts of expressions, each of the type that its name says. */
const typed = fc.letrec<Record<"bool" | "text" | "number" | "time" | "list" | "json", string>>((tie) => {
  const [bool, text, number] = [tie("bool"), tie("text"), tie("number")];
  const [time, list, json] = [tie("time"), tie("list"), tie("json")];
  const order = oneOf("<", "<=", ">", ">=", "==", "!=");
  const compare = (left: fc.Arbitrary<string>, right: fc.Arbitrary<string>, operator = order) =>
    fc.tuple(left, operator, right).map(([l, o, r]) => `(${l} ${o} ${r})`);
  const call = (form: string, ...args: fc.Arbitrary<string>[]) =>
    fc.tuple(...args).map((parts) => parts.reduce((all, part) => all.replace("$", () => part), form));
  const some = (leaf: fc.Arbitrary<string>, ...others: fc.Arbitrary<string>[]) =>
    fc.oneof({ depthSize: "small", withCrossShrink: true, maxDepth: 3 }, leaf, ...others);
  return {
    bool: some(
      oneOf("true", "data.b", "has(data.a)", "has(metadata.x)", "(event == null)", "('x' in metadata)"),
      compare(number, number),
      compare(text, text),
      compare(time, time),
      compare(json, fc.oneof(number, text, json)),
      compare(fc.oneof(bool, list), json, oneOf("==", "!=")),
      call("($ && $)", bool, bool),
      call("($ || !$)", bool, bool),
      call("($ ? $ : $)", bool, bool, bool),
      call("$.exists(i, i == $)", list, json),
      call("data.list.all(i, $)", bool),
      call("($ in $)", json, list),
      call("$.startsWith($)", fc.oneof(text, json), fc.oneof(text, json)),
      call("matches($, '^a')", fc.oneof(text, json)),
    ),
    text: some(
      oneOf("'a'", "event", "metadata.x", "metadata['x']"),
      call("string($)", fc.oneof(number, json, time)),
      call("($ + $)", text, fc.oneof(text, json)),
      call("$.lowerAscii()", fc.oneof(text, json)),
    ),
    number: some(
      oneOf("1", "-2", "1.5"),
      call("size($)", fc.oneof(json, text, list)),
      call("($ + $)", number, fc.oneof(number, json)),
      call("($ % $)", json, number),
      call("int($)", fc.oneof(text, json, time)),
      call("double($)", fc.oneof(text, json)),
      call("$.getFullYear()", time),
    ),
    time: some(
      oneOf("timestamp('2026-01-01T00:00:00Z')", "timestamp(data.at)"),
      call("($ + duration('1h'))", time),
    ),
    list: some(
      oneOf("[]", "[1, 'a', null]", "data.list"),
      call("[$, $]", json, text),
      call("data.list.map(i, $)", json),
    ),
    json: some(
      JSON_PATHS,
      call("$.a", JSON_PATHS),
      call("data[$]", fc.oneof(text, json)),
      call("[$][0]", json),
    ),
  };
});

const LIMITS = /must have at most/;

test("a well-typed filter is never refused", () => {
  fc.assert(
    fc.property(typed.bool, (filter) => {
      const problem = filterProblem(filter);
      if (problem === null || !LIMITS.test(problem)) expect(problem).toBeNull();
    }),
    { numRuns: 500 },
  );
});

const operand = fc.oneof(
  typed.bool,
  typed.text,
  typed.number,
  typed.time,
  typed.list,
  typed.json,
  oneOf("event.type", "metadata", "metadata.x.y", "null", "'5'", "event[0]"),
);
const value = fc.jsonValue({ maxDepth: 2 });
const payload = fc.record(
  {
    a: value,
    b: fc.oneof(fc.boolean(), value),
    at: fc.constant("2026-01-01T00:00:00Z"),
    list: fc.array(value),
  },
  { requiredKeys: [] },
);

/** Evaluates without the check of types. */
function evaluate(filter: string, event: string | null, data: unknown): unknown {
  const { expr } = parse(filter);
  if (!expr) throw new Error(`nothing in ${filter}`);
  const input = { event, data: celOf(JSON.stringify(data)), metadata: new Map([["x", "5"]]) };
  const evaluated = plan(environment(new Patterns()), expr);
  const result = during({ left: MAX_FILTER_STEPS }, () => evaluated(input));
  return isCelError(result) ? "error" : result;
}

test("a comparison or call that is refused is true for no event, and != false for none", () => {
  const operator = oneOf("==", "!=", "<", "<=", ">", ">=", "in");
  const shallow = fc.tuple(operand, operator, operand).map(([l, o, r]) => ({ l, o, r }));
  let refused = 0;
  fc.assert(
    fc.property(shallow, fc.option(fc.string()), payload, ({ l, o, r }, event, data) => {
      const filter = `${l} ${o} ${r}`;
      const problem = filterProblem(filter);
      if (problem === null || LIMITS.test(problem)) return;
      refused++;
      expect([filter, evaluate(filter, event, data)]).not.toEqual([filter, o !== "!="]);
    }),
    { numRuns: 1_000 },
  );
  expect(refused).toBeGreaterThan(100);
});
