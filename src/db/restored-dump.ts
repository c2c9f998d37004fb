import type postgres from "postgres";
import type { AnySql } from "./pool";

/** The setting that names the server whose transactions the deliveries refer to. */
const SETTING = "server";

/**
 * Gives deliveries of a restored dump a transaction of this server. Their own transactions are of another server, and may be in
 * the future of this one. Iterators would wait for them, and then return them after newer deliveries. With one transaction for
 * all, the order of ids decides. Checks once per server whether any account has a delivery of a future transaction.
 */
export async function adoptRestoredDump(sql: postgres.Sql): Promise<void> {
  const server = await serverOf(sql);
  const [known] = await sql`select value from settings where name = ${SETTING}`;
  if (server !== null && server === known?.value) return;
  // Counts of expired deliveries also name transactions of the other server.
  await sql`delete from retention_counts`;
  await sql`delete from retention_progress`;
  const [ahead] = await sql`
    select from accounts a cross join lateral (
      select from deliveries d
      where d.account_id = a.id and d.transaction >= pg_snapshot_xmax(pg_current_snapshot())
      limit 1
    ) as d
    limit 1`;
  if (ahead) {
    await sql`update deliveries set transaction = pg_current_xact_id() where transaction >= pg_current_xact_id()`;
  }
  if (server === null) return;
  await sql`
    insert into settings (name, value) values (${SETTING}, ${server})
    on conflict (name) do update set value = excluded.value`;
}

/**
 * Returns a short text that changes whenever the numbers of deliveries can come again: with a restored backup or dump, and with a
 * promoted standby, which may lack the last commits. Null if Postgres does not show it.
 */
export async function epochOf(sql: AnySql): Promise<string | null> {
  const server = await serverOf(sql);
  return server && new Bun.CryptoHasher("sha256").update(server).digest("hex").slice(0, 16);
}

/**
 * Identifies the server. Changes with the server, with its timeline and with every restore of the settings. Returns null if
 * Postgres does not show it.
 */
async function serverOf(sql: postgres.Sql | AnySql): Promise<string | null> {
  try {
    const [row] = await sql`
      select s.system_identifier || '/' || c.timeline_id || '/' || 'settings'::regclass::oid as server
      from pg_control_system() s, pg_control_checkpoint() c`;
    return row?.server ?? null;
  } catch (error) {
    if (error instanceof Error && error.name === "PostgresError") return null;
    throw error;
  }
}
