import type { TransactionSql } from "../db/pool";
import type { Rebuild } from "./plan";
import { boundsOf, nameOf, rangeOf, type TimeRange } from "./time-range";

/** The tables that are split by time, all into the same ranges. The time is in the ids of events and deliveries. */
const TABLES = ["events", "deliveries", "results", "attempts"] as const;
type Table = (typeof TABLES)[number];

/** The tables of one time range. */
export type RangeTables = Readonly<{ range: TimeRange; names: Readonly<Record<Table, string>> }>;

/** Longest wait for a lock. Other transactions wait behind it meanwhile. */
const LOCK_TIMEOUT_MS = 50;
/**
 * Rows never change once written, so their first vacuum freezes them for good. It comes soon, mostly before the next
 * checkpoint: then it logs 4 bytes a row, and after a checkpoint the whole page again, 540 bytes a row (measured).
 */
const STORAGE =
  "with (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000)";

type RangeRow = { table: Table; name: string; bounds: string };

/** Reads all time ranges. Throws if they differ between the tables or have a gap. */
export async function readTimeRanges(sql: TransactionSql): Promise<RangeTables[]> {
  const rows = await sql<RangeRow[]>`
    select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i
    join pg_class p on p.oid = i.inhparent
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('events'::regclass, 'deliveries'::regclass, 'results'::regclass, 'attempts'::regclass)
  `;
  const ranges = [...Map.groupBy(rows, (row) => row.bounds).values()].map(tablesOfRange);
  ranges.sort((a, b) => (a.range.from ?? Number.NEGATIVE_INFINITY) - (b.range.from ?? 0));
  if (!leavesNothingOut(ranges)) throw new Error("the tables' time ranges leave a gap");
  return ranges;
}

function tablesOfRange(rows: RangeRow[]): RangeTables {
  const bounds = rows[0]?.bounds ?? "";
  const name = (table: Table) => {
    const row = rows.find((each) => each.table === table);
    if (!row) throw new Error(`${TABLES.join(", ")} must each have the time range ${bounds}`);
    return row.name;
  };
  const names = {
    events: name("events"),
    deliveries: name("deliveries"),
    results: name("results"),
    attempts: name("attempts"),
  };
  return { range: rangeOf(bounds), names };
}

function leavesNothingOut(ranges: readonly RangeTables[]): boolean {
  const ends = [null, ...ranges.map(({ range }) => range.to)];
  return ranges.every(({ range }, i) => range.from === ends[i]) && ends.at(-1) === null;
}

/** Blocks writes to a time range until the transaction ends. Reads continue. */
export async function closeTimeRange(sql: TransactionSql, { names }: RangeTables): Promise<void> {
  await limitLockWait(sql);
  const list = TABLES.map((table) => quoted(names[table])).join(", ");
  await sql.unsafe(`lock table ${list} in share mode`);
}

/**
 * Replaces time ranges by others, and moves or drops their rows. Blocks all reads and writes of the tables until the
 * transaction ends, so end it soon. Throws if the tables stay in use for longer than the limit of the wait.
 */
export async function rebuild(
  sql: TransactionSql,
  ranges: readonly RangeTables[],
  { replaced, by }: Rebuild,
  rows: "move" | "drop",
): Promise<void> {
  await limitLockWait(sql);
  await sql.unsafe(`lock table ${TABLES.join(", ")} in access exclusive mode`);
  const old = ranges.filter((each) => replaced.includes(each.range));
  for (const table of TABLES) {
    const names = old.map((each) => each.names[table]);
    await sql.unsafe(rows === "move" ? replaceMoving(table, names, by) : replaceDropping(table, names, by));
  }
}

function replaceDropping(table: Table, old: readonly string[], by: readonly TimeRange[]): string {
  return [
    ...old.map((name) => `drop table ${quoted(name)}`),
    ...by.map((range) => creation(table, range)),
  ].join(";");
}

function replaceMoving(table: Table, old: readonly string[], by: readonly TimeRange[]): string {
  const taken = old.map((name, i) => [
    `alter table ${table} detach partition ${quoted(name)}`,
    `alter table ${quoted(name)} rename to ${table}_replaced_${i}`,
  ]);
  const moved = old.map((_, i) => [
    `insert into ${table} select * from ${table}_replaced_${i}`,
    `drop table ${table}_replaced_${i}`,
  ]);
  return [...taken.flat(), ...by.map((range) => creation(table, range)), ...moved.flat()].join(";");
}

function creation(table: Table, range: TimeRange): string {
  return `create table ${quoted(`${table}_${nameOf(range)}`)} partition of ${table} ${boundsOf(range)} ${STORAGE}`;
}

async function limitLockWait(sql: TransactionSql): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
