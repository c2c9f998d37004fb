import type { Database } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
import type { TestDatabase } from "./postgres";

type Counter = (sql: Sql) => Promise<{ count: number }[]>;
type Work = (own: Database) => Promise<unknown>;

/** How many rows of a table some work fetches, which is undone. It is given a connection of its own. */
export function fetchedBy(database: TestDatabase, table: string, work: Work): Promise<number> {
  const fetched: Counter = (sql) => sql`
    select idx_tup_fetch + seq_tup_read as count from pg_stat_xact_user_tables where relname = ${table}
  `;
  return countedBy(database, fetched, work);
}

/** The same of the entries of an index that it goes over, those of deleted rows too. */
export function entriesReadBy(database: TestDatabase, index: string, work: Work): Promise<number> {
  const read: Counter = (sql) => sql`
    select pg_stat_get_xact_tuples_returned(${index}::text::regclass) as count
  `;
  return countedBy(database, read, work);
}

/** The same of the pages that it looks at, of the table and of its indexes. */
export function pagesReadBy(database: TestDatabase, table: string, work: Work): Promise<number> {
  const read: Counter = (sql) => sql`
    select sum(pg_stat_get_xact_blocks_fetched(c.oid))::bigint as count from pg_class c
    where c.oid = ${table}::text::regclass
      or c.oid in (select indexrelid from pg_index where indrelid = ${table}::text::regclass)
  `;
  return countedBy(database, read, work);
}

async function countedBy(database: TestDatabase, counter: Counter, work: Work): Promise<number> {
  const own = database.open({ size: 1 });
  await own.run((sql) => sql`begin`);
  const before = await countedSoFar(own, counter);
  await work(own);
  const after = await countedSoFar(own, counter);
  await own.run((sql) => sql`rollback`);
  return after - before;
}

// What the connection has not yet reported, which it does not do within a transaction.
async function countedSoFar(own: Database, counter: Counter): Promise<number> {
  const [row] = await own.run(counter);
  return row?.count ?? Number.NaN;
}
