import type { Database } from "../../src/db/database";
import type { TestDatabase } from "./postgres";

/** How many rows of a table some work fetches, which is undone. It is given a connection of its own. */
export async function fetchedBy(
  database: TestDatabase,
  table: string,
  work: (own: Database) => Promise<unknown>,
): Promise<number> {
  const own = database.open({ size: 1 });
  await own.run((sql) => sql`begin`);
  const before = await fetchedSoFar(own, table);
  await work(own);
  const after = await fetchedSoFar(own, table);
  await own.run((sql) => sql`rollback`);
  return after - before;
}

// What the connection has not yet reported, which it does not do within a transaction.
async function fetchedSoFar(own: Database, table: string): Promise<number> {
  const [row] = await own.run(
    (sql) => sql<{ fetched: number }[]>`
      select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables where relname = ${table}
    `,
  );
  return row?.fetched ?? Number.NaN;
}
