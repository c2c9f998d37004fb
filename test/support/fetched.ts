import type { Database } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
import { arrayOf } from "../../src/db/sql/arrays";
import type { TestDatabase } from "./postgres";

type Counter = (sql: Sql) => Promise<{ count: number }[]>;
type Work = (own: Database) => Promise<unknown>;

/** Counts the rows of a table that `work` fetches on a connection of its own, and rolls the work back. */
export function fetchedBy(database: TestDatabase, table: string, work: Work): Promise<number> {
  const fetched: Counter = (sql) => sql`
    select idx_tup_fetch + seq_tup_read as count from pg_stat_xact_user_tables where relname = ${table}
  `;
  return countedBy(database.open({ size: 1 }), fetched, work);
}

/** Counts the entries of an index that `work` reads, also those of deleted rows, and rolls the work back. */
export function entriesReadBy(database: TestDatabase, index: string, work: Work): Promise<number> {
  const read: Counter = (sql) => sql`
    select pg_stat_get_xact_tuples_returned(${index}::text::regclass) as count
  `;
  return countedBy(database.open({ size: 1 }), read, work);
}

/** Counts the pages of each table, its time ranges and indexes that `work` reads, returns the most, and rolls the work back. */
export function pagesReadBy(
  database: TestDatabase,
  tables: readonly string[],
  work: Work,
  own = database.open({ size: 1 }),
): Promise<number> {
  const read: Counter = (sql) => sql`
    with parts as (select t, relid from unnest(${arrayOf(tables)}::text[]) t, pg_partition_tree(t::regclass)),
    relations as (select * from parts union all select t, indexrelid from pg_index join parts on indrelid = relid),
    pages as (select sum(pg_stat_get_xact_blocks_fetched(relid))::bigint as count from relations group by t)
    select max(count) as count from pages
  `;
  return countedBy(own, read, work);
}

async function countedBy(own: Database, counter: Counter, work: Work): Promise<number> {
  await own.run((sql) => sql`begin`);
  const before = await countedSoFar(own, counter);
  await work(own);
  const after = await countedSoFar(own, counter);
  await own.run((sql) => sql`rollback`);
  return after - before;
}

// Reads the transaction's own counters, which the connection reports only after it.
async function countedSoFar(own: Database, counter: Counter): Promise<number> {
  const [row] = await own.run(counter);
  return row?.count ?? Number.NaN;
}
