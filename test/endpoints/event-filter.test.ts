import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { arrayOf } from "../../src/db/arrays";
import { filterMatchesSql, matches, parseEventFilter, TEST_EVENT } from "../../src/endpoints/event-filter";
import { EVENT_MAX_LENGTH } from "../../src/event-types/event-name";
import { type TestDatabase, testDatabase } from "../support/postgres";

function isMatch(text: string, event: string | null): boolean {
  const parsed = parseEventFilter(text);
  if ("flaw" in parsed) throw new Error(`${text} ${parsed.flaw}`);
  return matches(parsed.filter, event);
}

describe("a filter", () => {
  test.each(["*", "order.created", "order.*", "order.item.*", "a b", "ü", "x".repeat(EVENT_MAX_LENGTH)])(
    "may be %p",
    (text) => expect(parseEventFilter(text)).toHaveProperty("filter", text),
  );

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
    expect(parseEventFilter(text)).toEqual({ flaw: expect.any(String) });
  });

  test("is measured in characters", () => {
    expect(parseEventFilter("😀".repeat(EVENT_MAX_LENGTH))).toHaveProperty("filter");
    expect(parseEventFilter("x".repeat(EVENT_MAX_LENGTH + 1))).toHaveProperty("flaw");
  });

  test("says what is wrong with one that is not Unicode", () => {
    expect(parseEventFilter("\ud800")).toEqual({ flaw: "must be well-formed Unicode" });
  });
});

describe("matching", () => {
  test("* takes everything, also no event", () => {
    expect([isMatch("*", "order.created"), isMatch("*", null)]).toEqual([true, true]);
  });

  test("a resource takes what begins with it and a dot", () => {
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

  test("an event type takes itself alone", () => {
    const events = ["order.created", "order.created.v2", "order", null];
    expect(events.map((event) => isMatch("order.created", event))).toEqual([true, false, false, false]);
  });
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

  // Few characters, so that filters and events often meet.
  const text = fc.string({
    unit: fc.constantFrom("a", "b", ".", "*", "_", "%", "\\", "ä", "😀"),
    maxLength: 6,
  });
  const filter = fc
    .oneof(
      fc.constant("*"),
      text,
      text.map((resource) => `${resource}.*`),
    )
    .filter((each) => "filter" in parseEventFilter(each));
  const event = fc.option(
    fc.oneof({ weight: 9, arbitrary: text.filter((each) => each !== "") }, fc.constant(TEST_EVENT)),
  );

  test("it is the same", async () => {
    const pairs = fc.array(fc.tuple(filter, event), { minLength: 500, maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(pairs, async (tried) => {
        const rows = await database.db.run(
          (sql) => sql<{ result: boolean }[]>`
            select ${sql.unsafe(filterMatchesSql)} as result
            from unnest(
              ${arrayOf(tried.map(([each]) => each))}::text[],
              ${arrayOf(tried.map(([, each]) => each))}::text[]
            ) with ordinality as t(filter, event, n)
            cross join lateral (select t.filter as event_filter) e
            cross join lateral (select t.event as event) i
            order by t.n
          `,
        );
        expect(rows.map((row) => row.result)).toEqual(tried.map(([each, given]) => isMatch(each, given)));
      }),
      { numRuns: 20 },
    );
  });
});
