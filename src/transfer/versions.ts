import type { AnySql } from "../db/pool";

/** Returns the hash of the last migration that the database has. */
export async function lastMigration(sql: AnySql): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select hash from drizzle.__drizzle_migrations order by created_at desc limit 1
  `;
  if (!row) throw new Error("the database has no tables of Hermod: check DATABASE_URL");
  return row.hash;
}
