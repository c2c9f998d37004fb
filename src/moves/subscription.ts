import type { Sql } from "../db/pool";

/** True if a database has the subscription of this name. */
export async function isSubscribed(sql: Sql, name: string): Promise<boolean> {
  const found = await sql`
    select from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database() and s.subname = ${name}
  `;
  return found.length > 0;
}
