import { describe, expect, test } from "bun:test";
import { type CelFunc, type CelValue, celList, celMap, isCelError, parse, plan } from "@bufbuild/cel";
import { celOf } from "../../../src/event-types/filter/cel-json";
import { environment } from "../../../src/event-types/filter/environment";
import { during, MAX_FILTER_STEPS, TooManySteps } from "../../../src/event-types/filter/filter-budget";
import {
  filterProblem,
  MAX_FILTER_LENGTH,
  PayloadFilter,
} from "../../../src/event-types/filter/payload-filter";
import { Patterns } from "../../../src/event-types/schema/patterns";
import { cpuMsOf, leastMs, slowness } from "../../support/slowness";

/** The most CPU time of one filter over one event. */
const MOST_MS = 300;
/** Parts of the budget that are measured, as long as the whole seems to take too long: the first calls are the slowest. */
const SHARES = [1 / 400, 1 / 400, 1 / 100, 1 / 50, 1 / 10, 1, 1];
const LONG = 100_000;
const env = environment(new Patterns());

function value(expression: string): CelValue {
  const result = plan(env, parse(expression).expr as never)();
  if (isCelError(result)) throw result;
  return result as CelValue;
}

/** The dearest values of each type, long and short. A function with a new type of argument fails the test. */
const VALUES: Record<string, readonly CelValue[]> = during({ left: Number.POSITIVE_INFINITY }, () => ({
  string: [
    ..."a|America/New_York|+01:30|2024-01-31T12:00:00.123456789Z|1h2m3s|12345".split("|"),
    ...["a".repeat(1_000), "a".repeat(LONG), `${"a".repeat(LONG / 4)}b${"a".repeat(LONG / 4)}`],
    ...["€".repeat(LONG), `${"€".repeat(LONG / 4)}b`, "9".repeat(1_024)],
  ],
  bytes: [new Uint8Array(1), new Uint8Array(LONG), new Uint8Array(LONG).fill(255)],
  list: [celList([]), celList(numbers(10)), celList(numbers(LONG)), celList(["a".repeat(LONG), [[1], [2]]])],
  map: [celMap(new Map()), celOfNames(10), celOfNames(LONG)],
  bool: [true],
  int: [0n, 2n ** 63n - 1n],
  uint: [value("18446744073709551615u"), value("0u")],
  double: [1.5, 1.7976931348623157e308],
  null_type: [null],
  type: [value("type(1)")],
  "google.protobuf.Timestamp": [value("timestamp('2024-01-31T12:00:00.123456789Z')")],
  "google.protobuf.Duration": [value("duration('1h2m3.456s')")],
}));

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function celOfNames(count: number): CelValue {
  const map = celOf(JSON.stringify(Object.fromEntries(numbers(count).map((i) => [`name ${i}`, i]))));
  return map instanceof Map ? celMap(map) : (map as CelValue);
}

/** Values for an argument: of its type, or of all types. */
function valuesOf({ name }: { name: string }): readonly CelValue[] {
  const all = Object.values(VALUES).flat();
  const values = name === "dyn" ? all.filter((_, i) => i % 3 === 0) : VALUES[name];
  if (values === undefined) throw new Error(`there are no values of the type ${name} to measure with`);
  return values;
}

function combinations(parts: readonly (readonly CelValue[])[]): CelValue[][] {
  return parts.reduce<CelValue[][]>(
    (all, part) => all.flatMap((each) => part.map((v) => [...each, v])),
    [[]],
  );
}

/** Calls a function until a part of the budget is used up. Returns the CPU time of the whole budget. */
function msOfBudget(func: CelFunc, target: CelValue | undefined, args: CelValue[], share: number): number {
  const group = env.funcs.find(func.name);
  const evaluation = { left: MAX_FILTER_STEPS };
  const end = MAX_FILTER_STEPS * (1 - share);
  // Each part of an expression costs a step: the call, and the parts that give the operands.
  const parts = 1 + args.length + (target === undefined ? 0 : 1);
  const ms = cpuMsOf(() => {
    try {
      during(evaluation, () => {
        while (evaluation.left > end) {
          evaluation.left -= parts;
          group?.call(1, target, args);
        }
      });
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      // The call is refused before its work.
      evaluation.left = 0;
    }
  });
  return (ms * MAX_FILTER_STEPS) / (MAX_FILTER_STEPS - evaluation.left);
}

/** Returns the CPU time of the whole budget, from the least part that suffices to see that it is small. */
function leastMsOfBudget(func: CelFunc, target: CelValue | undefined, args: CelValue[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const share of SHARES) {
    if (share === 1) Bun.gc(true);
    const slower = share === 1 ? slowness() : 1;
    least = Math.min(least, msOfBudget(func, target, args, share) / slower);
    if (least < MOST_MS) break;
  }
  return least;
}

describe("a call costs no more CPU time than its steps say", () => {
  const functions = [...env.funcs].filter(({ name }) => name !== "matches");
  test("there are functions", () => expect(functions.length).toBeGreaterThan(100));
  test.each(functions.map((func) => [func.id, func] as const))("%s", (_, func) => {
    const targets = func.target === undefined ? [undefined] : valuesOf(func.target);
    const slow: string[] = [];
    for (const args of combinations(func.arguments.map(valuesOf))) {
      for (const target of targets) {
        const ms = leastMsOfBudget(func, target, args);
        if (ms > MOST_MS) slow.push(`${ms} ms: ${[target, ...args].map(shown).join(", ")}`);
      }
    }
    expect(slow).toEqual([]);
  });
});

function shown(each: CelValue | undefined): string {
  return typeof each === "string" ? `${each.slice(0, 30)} (${each.length})` : String(each).slice(0, 30);
}

const DATA = celOf(
  JSON.stringify({
    many: numbers(9_000),
    some: numbers(300),
    one: [1],
    text: "x".repeat(LONG),
    like: `${"a".repeat(LONG / 4)}b${"a".repeat(LONG / 4)}`,
    letters: Array.from({ length: 20_000 }, (_, i) => ((i * i) % 7 > 3 ? "a" : "b")).join(""),
    names: Object.fromEntries(numbers(30_000).map((i) => [`name ${i}`, i])),
    a: { a: { a: { a: { a: 1 } } } },
    when: "2024-01-31T12:00:00Z",
  }),
);
const INPUT = { event: "a", data: DATA, metadata: new Map() };

/** Expressions that are evaluated for each of thousands of items. */
const BODIES = [
  "data.names[1] == 1",
  "data.names[i] == 1",
  "data.names[data.text] == 1",
  "data.names.nope == 1",
  "data.many[100000] == 1",
  "{data.text: 1, data.text: 2} == {}",
  "{i: i, 'a': [i, i, {}]} == {}",
  "[data.names, data.many, i] == [1]",
  "has(data.names.nope) && has(data.a.a.a)",
  "i < 0 || i > 0 || !(i == 1) && i != 2",
  "i > 5 ? i : data.names",
  "data.a.a.a.a.a == 1",
  `data${".a".repeat(60)} == 1`,
  "(i > 5 ? data : data).a.a.a.a.a == 1",
  "timestamp(data.when).getFullYear('America/New_York') == 1",
  "dyn(timestamp(data.text)) == 1",
  "data.like.contains(data.like + 'a')",
  "data.text.contains('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy')",
  "i in data.some",
  "data.one.all(j, data.one.all(k, j + k + i == 0))",
  "i / 0 == 1",
  "'a' < i",
  "i.nope.nope == 1",
];
/** Expressions that walk through a list or map of their own. */
const WHOLE = [
  ...["all", "exists", "exists_one", "filter", "map"].map(
    (macro) => `dyn(data.many.${macro}(i, i == 1)) == 1`,
  ),
  ...["all", "exists", "exists_one", "filter", "map"].map(
    (macro) => `dyn(data.some.${macro}(i, i.nope)) == 1`,
  ),
  ...["all", "exists", "exists_one", "filter", "map"].map(
    (macro) => `dyn(data.names.${macro}(i, i == 'a')) == 1`,
  ),
  "data.some.map(i, data.some.map(j, [i, j])) == []",
  `${"data.one.all(a, ".repeat(25)}data.some.all(b, data.some.all(c, b == c || true))${")".repeat(25)}`,
  ...["(x+x+)+y", "(a|b)*a(a|b){200}c", "^(a|b)*a(a|b){200}c", "(?:a?){100}a{100}", "(.*)(.*)(.*)b$"].flatMap(
    (pattern) => [`data.letters.matches('${pattern}')`, `data.text.matches('${pattern}')`],
  ),
];

test.each([
  ...BODIES.map((body) => `data.many.all(i, ${body} || true)`),
  ...BODIES.map((body) => `data.some.all(h, data.some.all(i, ${body} || true))`),
  ...WHOLE.map((each) => `${each} || true`),
])("%s takes at most 0.3 s of CPU time", (text) => {
  const filter = new PayloadFilter(text);
  expect(leastMs(MOST_MS, () => filter.judge(INPUT))).toBeLessThan(MOST_MS);
});

const OPENINGS = [
  ..."( [ { {1: ! - a? a?b: f( a.f( A{ A{a: a[ [1, [?".split(" "),
  ..."' \" ''' r' r'' '\\ // .a .f() [0] 1+ 1- a|| a&& a< ,".split(" "),
  ...'(( ([{ !(-[ (a? data.all(a, data.map(a,true, has( ((1)+ \'(\'+( """("""+('.split(" "),
];
/** The text that follows many openings, and closes them. */
const CLOSINGS = ["1", ")", "]", "}", ":b)", "'", " $"];

/** As much of a part, and of what closes it, as a filter may have. */
function filled(opening: string, closing: string): string {
  const count = Math.floor(MAX_FILTER_LENGTH / 2 / Math.max(opening.length, closing.length));
  return `${opening.repeat(count)}1${closing.repeat(count)}`.slice(0, MAX_FILTER_LENGTH);
}

test.each(OPENINGS)("a filter of many %s is refused or compiled in at most 0.3 s of CPU time", (opening) => {
  const open = [opening, `${opening}\n`].map((part) => part.repeat(MAX_FILTER_LENGTH / part.length));
  for (const text of [...open, ...CLOSINGS.map((closing) => filled(opening, closing))]) {
    expect(leastMs(MOST_MS, () => filterProblem(text))).toBeLessThan(MOST_MS);
  }
});
