import type postgres from "postgres";
import type { AnySql } from "../db/pool";

/** The setting that names the server whose transactions the deliveries refer to. */
const SETTING = "server";

/**
 * Begins an era of every account on a server that the deliveries don't know yet. Another one may count transactions from less: after
 * a dump or a backup was restored, or a standby promoted that lacks the last commits. Iterators would pass what it accepts.
 * Waits for the transactions under way, since they write stamps of the era before.
 */
export async function beginEras(sql: postgres.Sql, lockMs: number): Promise<void> {
  const server = await serverOf(sql);
  const [known] = await sql<{ value: string }[]>`select value from settings where name = ${SETTING}`;
  if (server !== null && server === known?.value) return;
  await sql.begin(async (transaction) => {
    await transaction`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`;
    await transaction`lock table deliveries in share row exclusive mode`;
    // Counts of expired deliveries also name transactions of the other server.
    await transaction`delete from retention_counts`;
    await transaction`delete from retention_progress`;
    await (server !== null && known
      ? transaction`update accounts set era = era + 1`
      : passFuture(transaction));
    if (server === null) return;
    await transaction`
      insert into settings (name, value) values (${SETTING}, ${server})
      on conflict (name) do update set value = excluded.value`;
  });
}

/** Begins an era of the accounts that have a delivery of a future transaction. For a server that can't be told from others. */
async function passFuture(sql: postgres.TransactionSql): Promise<void> {
  await sql`
    update accounts a set era = a.era + 1
    from accounts of, pg_snapshot_xmax(pg_current_snapshot()) as s(next), lateral (
      (select from deliveries d where d.account_id = of.id and d.transaction >= stamp(of.era, s.next) limit 1)
      union all
      (select from cold_blocks b where b.account_id = of.id and upper(b.stamps) > stamp(of.era, s.next)::text::bigint limit 1)
      limit 1
    ) ahead
    where a.id = of.id
  `;
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
