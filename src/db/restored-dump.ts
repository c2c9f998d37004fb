import type postgres from "postgres";

/**
 * Deliveries of a dump that was restored here tell of transactions that this server has yet to come to: iterators would
 * wait for it to, and then give them after what is accepted now. They get one of its own, and so the order of their ids.
 */
export async function adoptRestoredDump(sql: postgres.Sql): Promise<void> {
  const [newest] = await sql`
    select transaction >= pg_snapshot_xmax(pg_current_snapshot()) as "isAhead" from deliveries order by id desc limit 1`;
  if (newest?.isAhead) {
    await sql`update deliveries set transaction = pg_current_xact_id() where transaction >= pg_current_xact_id()`;
  }
}
