import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import stringWidth from "string-width";
import { detailOf } from "../../src/cli/detail";
import { TextTable } from "../../src/cli/table";
import { timeWords } from "../../src/cli/time-words";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const ID = "wh_01m8kff1nceah80r2k857avnx5";
const OTHER_ID = "ep_01m8kff1bke0ar0f3q4jm3faaq";
const COLUMNS = [
  ["ID", 29],
  ["STATUS", 9],
  ["ENDPOINT", 29],
  ["EVENT", 0],
] as const;

function tableFor(columns: number, rows: readonly (readonly string[])[], isColored = false) {
  const table = new TextTable(COLUMNS, rows, { columns, rows: 24, isColored });
  return { table, lines: [table.head, ...rows.map((row) => table.line(row))] };
}

describe("a table on a terminal", () => {
  const row = [ID, "delivered", OTHER_ID, "order.paid"];

  test("fits it, whatever its texts and its width are, and keeps ids whole", () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constant("订单已支付".repeat(5)),
      fc.constant(ID),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(texts, texts, texts, texts), { minLength: 1 }),
        fc.integer({ min: 30, max: 200 }),
        (rows, columns) => {
          const { lines } = tableFor(
            columns,
            rows.map(([, ...rest]) => [ID, ...rest]),
          );
          for (const line of lines) expect(stringWidth(line.trimEnd())).toBeLessThanOrEqual(columns);
          for (const line of lines.slice(1)) expect(line).toStartWith(ID);
        },
      ),
    );
  });

  test("leaves the later ids out, and names them, once its texts are cut", () => {
    expect(tableFor(100, [row]).table.leftOut).toEqual([]);
    const long = tableFor(90, [[ID, "delivered", OTHER_ID, "order.paid.by.invoice"]]);
    expect(long.lines[1]).toEndWith(`${OTHER_ID}  order.paid.by.in…\n`);
    const narrow = tableFor(60, [row]);
    expect(narrow.table.leftOut).toEqual(["ENDPOINT"]);
    expect(narrow.lines[1]).toBe(`${ID}  delivered  order.paid\n`);
  });

  test("colours states, unless the terminal has no colours", () => {
    expect(tableFor(120, [row], true).lines[1]).toContain("\u001b[32mdelivered\u001b[39m  ");
    expect(tableFor(120, [row]).lines.join("")).not.toContain("\u001b");
  });
});

test("without a terminal a table has its declared widths, and cuts nothing", () => {
  const table = new TextTable(COLUMNS, [], null);
  expect(table.line([ID, "a longer state", OTHER_ID, "e"])).toBe(`${ID}  a longer state  ${OTHER_ID}  e\n`);
});

test.each([
  ["2026-01-31T11:59:59.500Z", "now"],
  ["2026-01-31T11:59:18.000Z", "42 s ago"],
  ["2026-01-31T11:56:59Z", "3 min ago"],
  ["2026-01-31T14:30:00.000Z", "in 2 h"],
  ["2026-01-02T13:00:00.000Z", "28 d ago"],
  ["2025-12-01T00:00:00.000Z", "2025-12-01"],
  ["order.paid", null],
  ["2026-01-31", null],
])("the time %s is said as %s", (text, words) => {
  expect(timeWords(text, NOW)).toBe(words);
});

test("a detail writes nested values as words, a line for each object of a list, and payloads as they are", () => {
  const health = { state: "failing", since: "2026-01-31T11:00:00.000Z", reason: null };
  const attempts = [
    { attempt: 1, status: 500, timing: { dns: 1 } },
    { attempt: 2, status: 0, error: "timeout" },
  ];
  const value = { id: ID, tags: ["a", "b"], none: [], empty: null, health, attempts, data: { x: [1] } };
  expect(detailOf(value, NOW)).toBe(`id        ${ID}
tags      a, b
none      none
empty     -
health    state: failing, since: 2026-01-31T11:00:00.000Z (1 h ago)
attempts  attempt: 1, status: 500, timing: (dns: 1)
          attempt: 2, status: 0, error: timeout
data      {"x":[1]}
`);
});
