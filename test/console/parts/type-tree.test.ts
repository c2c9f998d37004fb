import { expect, test } from "bun:test";
import fc from "fast-check";
import type { EventType } from "../../../src/client/types";
import { keyOfRow, parentOf, rowsOf, searchTypes, treeOf } from "../../../src/console/pages/type-tree";

const typesOf = (names: readonly string[]) =>
  names.map((event_type) => ({ event_type, group: null, description: null }) as EventType);

/** Draws the tree as text, indented. */
const drawn = (names: readonly string[], isOpen: (prefix: string) => boolean = () => true) =>
  rowsOf(treeOf(typesOf(names)), isOpen).map(
    (row) =>
      " ".repeat(row.depth) + (row.is === "type" ? row.type.event_type : `${row.prefix} (${row.types})`),
  );

const NAMES = ["order.paid", "order", "order.item.added", "order.item.removed", "com.acme.one", "lone"];

test("types are grouped by what their names have in common, and one alone has no branch", () => {
  expect(drawn(NAMES)).toEqual([
    "com.acme.one",
    "lone",
    "order (4)",
    " order",
    " order.item (2)",
    "  order.item.added",
    "  order.item.removed",
    " order.paid",
  ]);
  expect(drawn(["com.acme.a.x", "com.acme.a.y"])).toEqual([
    "com.acme.a (2)",
    " com.acme.a.x",
    " com.acme.a.y",
  ]);
});

test("numbers in names are sorted as numbers", () => {
  expect(drawn(["a.v10", "a.v2", "a.v1"])).toEqual(["a (3)", " a.v1", " a.v2", " a.v10"]);
});

test("a folded branch shows the number of its types", () => {
  expect(drawn(NAMES, () => false)).toEqual(["com.acme.one", "lone", "order (4)"]);
});

test("a search finds names, groups and descriptions", () => {
  const [paid, sent] = typesOf(["order.paid", "order.sent"]) as [EventType, EventType];
  const types = [
    { ...paid, group: "Money" },
    { ...sent, description: "It LEFT the house." },
  ];
  const found = (text: string) => searchTypes(types, text).map(({ event_type }) => event_type);
  expect(["paid", "money", "left", "order", "nothing"].map(found)).toEqual([
    ["order.paid"],
    ["order.paid"],
    ["order.sent"],
    ["order.paid", "order.sent"],
    [],
  ]);
});

const part = fc.constantFrom("", "a", "b", "order", "…");
const names = fc.array(
  fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(".")),
  {
    maxLength: 40,
  },
);

test("whatever the names, an open tree has each type once, below the branches it begins with", () => {
  fc.assert(
    fc.property(names, (some) => {
      const rows = rowsOf(treeOf(typesOf(some)), () => true);
      const shown = rows.flatMap((row) => (row.is === "type" ? [row.type.event_type] : []));
      expect(shown.toSorted()).toEqual([...new Set(some)].toSorted());
      expect(new Set(rows.map(keyOfRow)).size).toBe(rows.length);
      for (const [index, row] of rows.entries()) {
        const parent = rows[parentOf(rows, index)];
        if (row.depth === 0) expect(parent).toBeUndefined();
        else if (parent?.is === "branch") {
          const name = row.is === "type" ? row.type.event_type : row.prefix;
          expect(`${name}.`).toStartWith(`${parent.prefix}.`);
          expect(parent.types).toBeGreaterThan(1);
        } else throw new Error("a row below a type");
      }
    }),
  );
});

test("five thousand types with deep names make no more rows than twice their number", () => {
  const deep = Array.from({ length: 5_000 }, (_, n) => [...String(n)].join(".") + ".".repeat(120));
  expect(rowsOf(treeOf(typesOf(deep)), () => true).length).toBeLessThan(10_000);
});
