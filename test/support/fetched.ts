import type { Database } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
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

/** Counts the pages of a table, its time ranges and their indexes that `work` reads, and rolls the work back. */
export function pagesReadBy(
  database: TestDatabase,
  table: string,
  work: Work,
  own = database.open({ size: 1 }),
): Promise<number> {
  const read: Counter = (sql) => sql`
    with parts as (select relid from pg_partition_tree(${table}))
    select sum(pg_stat_get_xact_blocks_fetched(c.oid))::bigint as count from pg_class c
    where c.oid in (select relid from parts)
      or c.oid in (select i.indexrelid from pg_index i join parts p on i.indrelid = p.relid)
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
