import type { AnySql } from "../../src/db/pool";

/** Rows of a table that the connection has fetched and not yet reported: since then, if asked twice in a transaction. */
export async function fetchedFrom(sql: AnySql, table: string): Promise<number> {
  const [row] = await sql<{ fetched: number }[]>`
    select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables where relname = ${table}
  `;
  return row?.fetched ?? Number.NaN;
}
