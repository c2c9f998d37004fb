import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { arrayOf } from "../../src/db/sql/arrays";
import { filterHasSql, filterMatchesSql, patternsOfEventSql } from "../../src/db/sql/event-filter";
import {
  type EventFilter,
  FILTER_MAX_LENGTH,
  formatEventFilter,
  MAX_PATTERNS,
  matches,
  PATTERN,
  PATTERNS,
  type ParsedFilter,
  parseEventFilter,
  parseEventTypes,
} from "../../src/domain/event-filter";
import { EVENT_MAX_LENGTH } from "../../src/domain/names";
import { TEST_EVENT } from "../../src/domain/test-event";
import { filterOf } from "../support/filter";
import { type TestDatabase, testDatabase } from "../support/postgres";

const isMatch = (text: string, event: string | null) => matches(filterOf(text), event);
const problemOf = (parsed: ParsedFilter) => ("problem" in parsed ? parsed.problem : null);

describe("a filter", () => {
  test.each(["*", "order.created", "order.*", "order.item.*", "a b", "ü", "x".repeat(EVENT_MAX_LENGTH)])(
    "may be %p",
    (text) => expect(parseEventFilter(text)).toEqual({ filter: filterOf(text) }),
  );

  test.each([
    ["user.created,user.deleted", ["user.created", "user.deleted"]],
    ["  user.created ,  user.* ", ["user.created", "user.*"]],
    ["*,a", ["*", "a"]],
    ["a,a", ["a", "a"]],
    ["a b,c d", ["a b", "c d"]],
  ])("may be a list: %j", (text, patterns) => {
    const parsed: unknown = parseEventFilter(text);
    expect(parsed).toEqual({ filter: patterns });
    expect(formatEventFilter(filterOf(text))).toBe(patterns.join(","));
    expect(new RegExp(PATTERNS, "u").test(text)).toBe(true);
  });

  test.each([
    [
      "a,,b",
      /^has an empty part; write event types with one comma between them: user\.created,user\.deleted$/,
    ],
    ["a,", /^has an empty part/],
    [" , a", /^has an empty part/],
    ["a|b", /^has \| in a\|b; write event types out, with commas between them: user\.created,user\.deleted$/],
    ["user.(created)", /^has \( in/],
    ["user.[cd]", /^has \[ in/],
    ["user.{created", /^has \{ in/],
    [
      "ok, user*",
      /^has a \* within user\*; write it behind the resource's last dot, as in user\.\*, or alone/,
    ],
    [".*", /^has \.\* without a resource before it; write user\.\*, or \* for all events$/],
    [`a,${"x".repeat(EVENT_MAX_LENGTH + 1)}`, /^has x{64}…, which must have at most 256 characters$/],
  ])("that is %j is refused, with what to write", (text, problem) => {
    expect(problemOf(parseEventFilter(text))).toMatch(problem);
    if (!text.includes("x".repeat(EVENT_MAX_LENGTH)))
      expect(new RegExp(PATTERNS, "u").test(text)).toBe(false);
  });

  test("has a resource of at most 16 parts, and an event type of any number", () => {
    const parts = (count: number) => Array<string>(count).fill("a").join(".");
    expect(parseEventFilter(`${parts(16)}.*`)).toHaveProperty("filter");
    expect(parseEventFilter(parts(100))).toHaveProperty("filter");
    expect(problemOf(parseEventFilter(`${parts(17)}.*`))).toEndWith(
      ", whose resource has more than 16 parts with dots between them",
    );
  });

  test("as a list has event types with commas, too", () => {
    expect(parseEventTypes(["a,b", " a", "user.*"])).toEqual({
      filter: ["a,b", " a", "user.*"] as readonly string[] as EventFilter,
    });
    for (const text of ["a|b", "(a)", "a*", ".*", ""]) {
      expect({ text, problem: problemOf(parseEventTypes(["a", text])) }).toEqual({
        text,
        problem: expect.any(String),
      });
    }
  });

  test("has at most a hundred patterns, and accepts the longest possible text", () => {
    const patterns = Array<string>(MAX_PATTERNS).fill("x".repeat(EVENT_MAX_LENGTH));
    expect(parseEventTypes(patterns)).toHaveProperty("filter");
    expect(patterns.join(",")).toHaveLength(FILTER_MAX_LENGTH);
    expect(parseEventFilter(patterns.join(","))).toHaveProperty("filter");
    expect(problemOf(parseEventTypes([...patterns, "a"]))).toBe("must have at most 100 patterns");
    expect(problemOf(parseEventFilter(`${"a,".repeat(100)}a`))).toBe("must have at most 100 patterns");
  });

  test("is described by the document's patterns", () => {
    const piece = fc.string({
      unit: fc.constantFrom("a", ".", "*", ",", " ", "|", "(", "]", "ä"),
      maxLength: 7,
    });
    fc.assert(
      fc.property(piece, (text) => {
        const isAllowed = new RegExp(PATTERNS, "u").test(text);
        expect({ text, isAllowed }).toEqual({ text, isAllowed: "filter" in parseEventFilter(text) });
        const isPattern = new RegExp(PATTERN, "u").test(text);
        expect({ text, isPattern }).toEqual({ text, isPattern: "filter" in parseEventTypes([text]) });
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    "",
    "**",
    "*.*",
    "*.created",
    "order*",
    "or*der",
    "a.*.b",
    ".*",
    "a.*.*",
    "a\nb",
    "a\0",
    "\ud800",
  ])("may not be %p", (text) => {
    expect(parseEventFilter(text)).toEqual({ problem: expect.any(String) });
  });

  test("is measured in characters", () => {
    expect(parseEventFilter("😀".repeat(EVENT_MAX_LENGTH))).toHaveProperty("filter");
    expect(parseEventFilter("x".repeat(EVENT_MAX_LENGTH + 1))).toHaveProperty("problem");
  });

  test("says what is wrong with one that is not Unicode", () => {
    expect(problemOf(parseEventFilter("\ud800"))).toEndWith("which must be well-formed Unicode");
  });
});

describe("matching", () => {
  test("* matches every event, also one without a type", () => {
    expect([isMatch("*", "order.created"), isMatch("*", null)]).toEqual([true, true]);
  });

  test("a resource matches types that begin with it and a dot", () => {
    const events = [
      "order.created",
      "order.item.added",
      "order.",
      "order",
      "orders.created",
      "Order.created",
      null,
    ];
    expect(events.map((event) => isMatch("order.*", event))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test("an event type matches only itself", () => {
    const events = ["order.created", "order.created.v2", "order", null];
    expect(events.map((event) => isMatch("order.created", event))).toEqual([true, false, false, false]);
  });
});

test("one matching pattern is enough", () => {
  const events = ["user.created", "order.paid", "order.item.added", "user.deleted", null];
  expect(events.map((event) => isMatch("user.created,order.*", event))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(isMatch("a,*", null)).toBe(true);
});

test("a test event matches every filter", () => {
  for (const filter of ["*", "order.*", "order.created"]) expect(isMatch(filter, TEST_EVENT)).toBe(true);
});

describe("in SQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  // Uses few characters, so that filters and events often match.
  const short = fc.string({
    unit: fc.constantFrom("a", "b", ".", "*", ",", "_", "%", "\\", '"', "ä", "😀"),
    maxLength: 6,
  });
  const manyDots = fc.integer({ min: 14, max: 18 }).map((count) => "a.".repeat(count));
  const text = fc.oneof({ weight: 9, arbitrary: short }, manyDots);
  const pattern = fc
    .oneof(
      fc.constant("*"),
      text,
      text.map((resource) => `${resource}.*`),
      manyDots.map((resource) => `${resource}*`),
    )
    .filter((each) => "filter" in parseEventTypes([each]));
  const filter = fc.array(pattern, { minLength: 1, maxLength: 4 }).map((patterns) => {
    const parsed = parseEventTypes(patterns);
    if ("problem" in parsed) throw new Error(parsed.problem);
    return parsed.filter;
  });
  const event = fc.option(
    fc.oneof({ weight: 9, arbitrary: text.filter((each) => each !== "") }, fc.constant(TEST_EVENT)),
  );

  test("gives the same result, from the event and from its patterns", async () => {
    const pairs = fc.array(fc.tuple(filter, event), { minLength: 500, maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(pairs, async (tried) => {
        const rows = await database.db.run(
          (sql) => sql<{ direct: boolean; had: boolean }[]>`
            select ${sql.unsafe(filterMatchesSql)} as direct, ${sql.unsafe(filterHasSql)} as had
            from unnest(
              ${arrayOf(tried.map(([each]) => arrayOf(each)))}::text[],
              ${arrayOf(tried.map(([, each]) => each))}::text[]
            ) with ordinality as t(filter, event, n)
            cross join lateral (select t.filter::text[] as event_types) e
            cross join lateral (
              select i.event, ${sql.unsafe(patternsOfEventSql)} as patterns from (select t.event as event) i
            ) i
            order by t.n
          `,
        );
        const expected = tried.map(([each, given]) => matches(each, given));
        expect(rows.map((row) => row.direct)).toEqual(expected);
        expect(rows.map((row) => row.had)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
