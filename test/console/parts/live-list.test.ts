import { afterEach, beforeEach, expect, test } from "bun:test";
import { LiveList, PAGE } from "../../../src/console/shared/live-list";
import { MOST_ROWS } from "../../../src/console/shared/most-rows";

type Row = { id: string; status: string };

const idOf = (n: number) => `wh_${String(n).padStart(6, "0")}`;
const rowsOf = (from: number, to: number, status = "pending"): Row[] =>
  Array.from({ length: from - to + 1 }, (_, n) => ({ id: idOf(from - n), status }));
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** A list of the current rows of `listed`, newest first, read in pages by cursor. */
function open(start: Row[]) {
  const source = { listed: start, during: () => {} };
  const list = new LiveList<Row>(async (cursor) => {
    const remaining = source.listed.filter(({ id }) => cursor === undefined || id < cursor);
    const data = remaining.slice(0, PAGE);
    source.during();
    return { data, cursor: remaining.length > PAGE ? (data.at(-1)?.id ?? null) : null };
  });
  return { source, list };
}

const scrollTo = (top: number) => Object.assign(globalThis, { scrollY: top });
/** Puts the pointer on a row, or on none. */
const point = (row: object | null) =>
  Object.assign(globalThis, {
    document: { querySelector: (rows: string) => (rows.includes("[data-row]") ? row : null) },
  });
beforeEach(() => {
  Object.assign(globalThis, { scrollTo: () => scrollTo(0) });
  scrollTo(0);
  point(null);
});
afterEach(() => {
  for (const name of ["scrollY", "scrollTo", "document"]) Reflect.deleteProperty(globalThis, name);
});

test("a row that has left the list disappears, also the last one of a page", async () => {
  const { source, list } = open(rowsOf(150, 1));
  await list.look();
  const gone = new Set([150, 100, 51].map(idOf));
  source.listed = source.listed.filter(({ id }) => !gone.has(id));
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(source.listed.slice(0, PAGE)));
  await list.more();
  expect(ids(list.rows.value)).toEqual(ids(source.listed));
  source.listed = [];
  await list.look();
  expect(list.rows.value).toEqual([]);
});

test("rows that the stream adds during a look stay", async () => {
  const { source, list } = open(rowsOf(3, 1));
  await list.look();
  source.during = () => list.merge(rowsOf(4, 4));
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(4, 1)));
});

test("more new rows than a page leave no gap", async () => {
  const { source, list } = open(rowsOf(50, 1));
  await list.look();
  source.listed = rowsOf(300, 1);
  source.during = () => list.merge(rowsOf(301, 301));
  await list.look();
  source.during = () => {};
  source.listed = rowsOf(301, 1);
  while (list.cursor.value !== null) await list.more();
  expect(ids(list.rows.value)).toEqual(ids(source.listed));
});

test("a reader further down keeps the rows in sight, and finds no gap afterwards", async () => {
  const { source, list } = open(rowsOf(50, 1));
  await list.look();
  scrollTo(1_000);
  source.listed = rowsOf(300, 1, "delivered");
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(50, 1)));
  source.listed = rowsOf(310, 1, "delivered");
  await list.look();
  expect(ids(list.fresh.value)).toEqual(ids(rowsOf(310, 201)));
  list.showFresh();
  while (list.cursor.value !== null) await list.more();
  expect(list.rows.value).toEqual(source.listed);
});

test("rows do not move under the pointer, and new ones follow once it leaves", async () => {
  const { list } = open(rowsOf(3, 1));
  await list.look();
  point({});
  list.merge(rowsOf(4, 3, "delivered"));
  expect(list.rows.value.map(({ id, status }) => [id, status])).toEqual([
    [idOf(3), "delivered"],
    [idOf(2), "pending"],
    [idOf(1), "pending"],
  ]);
  expect(ids(list.fresh.value)).toEqual([idOf(4)]);
  point(null);
  list.merge([]);
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(4, 1)));
});

test("rows that have left the list stay under the pointer, and go once it leaves", async () => {
  const { source, list } = open(rowsOf(4, 1));
  await list.look();
  point({});
  source.listed = rowsOf(2, 1);
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(4, 1)));
  point(null);
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(2, 1)));
});

test("rows that leave are not taken for new ones further down", async () => {
  const { source, list } = open(rowsOf(150, 1));
  await list.look();
  scrollTo(1_000);
  source.listed = source.listed.slice(10);
  await list.look();
  expect(list.fresh.value).toEqual([]);
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(140, 41)));
});

test("a waiting row that older pages bring too is shown once", async () => {
  const { source, list } = open(rowsOf(250, 2).filter(({ id }) => id !== idOf(120)));
  await list.look();
  scrollTo(1_000);
  source.listed = rowsOf(250, 2);
  list.merge(rowsOf(120, 120));
  await list.more();
  list.showFresh();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(250, 51)));
});

test("a row that enters the list again gets its place", async () => {
  const { list } = open([...rowsOf(9, 6), ...rowsOf(4, 1)]);
  await list.look();
  list.merge(rowsOf(5, 5));
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(9, 1)));
});

test("a search that has found rows far down keeps them", async () => {
  const list = new LiveList<Row>(async (cursor) =>
    cursor === undefined ? { data: [], cursor: "further" } : { data: rowsOf(3, 1), cursor: null },
  );
  await list.look();
  await list.look();
  expect(ids(list.rows.value)).toEqual(ids(rowsOf(3, 1)));
});

test("a list that grows all day keeps a bounded number of rows, and finds the others again", async () => {
  const { source, list } = open(rowsOf(100, 1));
  await list.look();
  const grow = async (from: number, to: number) => {
    for (let n = from; n < to; n += 500) {
      source.listed = rowsOf(n + 500, 1);
      list.merge(rowsOf(n + 500, n + 1));
      await list.look();
    }
  };
  await grow(100, 10_100);
  expect(list.rows.value.length).toBeLessThanOrEqual(MOST_ROWS + 500);
  const seen = list.rows.value;
  scrollTo(1_000);
  await grow(10_100, 20_100);
  expect(list.rows.value).toEqual(seen);
  expect(list.fresh.value.length).toBeLessThanOrEqual(MOST_ROWS + 500);
  expect(list.gap.value).not.toBeNull();
  list.showFresh();
  while (list.cursor.value !== null) await list.more();
  expect(ids(list.rows.value)).toEqual(ids(source.listed));
});
