import { BLOCK_TABLES } from "../cold/block-file";
import type { TransactionSql } from "../db/pool";
import { leastIdAt } from "../domain/ids";
import type { RangeTables } from "./range-tables";
import type { TimeRange } from "./time-range";

/** Most events with pending deliveries, and pending webhooks, that stay behind when a time range moves to files. */
export const MOST_WAITING = 2_000;
/** Most rows of them. */
export const MOST_PUT_BACK = 10_000;

/**
 * Finds what has to stay in Postgres: events with a pending delivery, with all their deliveries, and pending webhooks. Resolves to
 * their number; null if they are too many to be put back while the tables are locked. The others are `isEnded` from then on.
 */
export async function findWaiting(sql: TransactionSql, { from, to }: TimeRange): Promise<number | null> {
  await sql.unsafe(`
    drop table if exists pg_temp.waiting;
    create temp table waiting (account_id uuid, family text not null) on commit drop
  `);
  const found = await sql`
    insert into waiting
    select distinct a.id, left(q.delivery_id::text, 32)
    from accounts a cross join lateral (
      select delivery_id from queue
      where account_id = a.id and delivery_id >= ${leastIdAt(from ?? 0)}
        and delivery_id < ${leastIdAt(to ?? Number.POSITIVE_INFINITY)}
      order by delivery_id limit ${MOST_WAITING + 1}
    ) q
    limit ${MOST_WAITING + 1}
  `;
  return found.count > MOST_WAITING ? null : found.count;
}

/** SQL: true for the id of an event or a delivery that may move to a file. A hashed list keeps the order of the index. */
export function isEnded(id: string): string {
  return `left(${id}::text, 32) not in (select family from pg_temp.waiting)`;
}

/** Copies the waiting rows of a time range aside, before its tables are dropped. Resolves to their number. */
export async function saveWaiting(sql: TransactionSql, names: RangeTables["names"]): Promise<number> {
  const own = (table: string) => `
    select r.* from pg_temp.waiting w cross join lateral (
      select * from "${table}" x where x.account_id = w.account_id
        and x.id between (w.family || '0000')::uuid and (w.family || 'ffff')::uuid offset 0
    ) r`;
  const ofDeliveries = (table: string, isSame: string) => `
    select r.* from pg_temp.waiting_deliveries d cross join lateral (
      select * from "${table}" x where ${isSame} offset 0
    ) r`;
  const rows = {
    events: own(names.events),
    deliveries: own(names.deliveries),
    results: ofDeliveries(names.results, "x.endpoint_id = d.endpoint_id and x.delivery_id = d.id"),
    attempts: ofDeliveries(names.attempts, "x.delivery_id = d.id"),
  };
  let saved = 0;
  for (const table of BLOCK_TABLES) {
    await sql.unsafe(`drop table if exists pg_temp.waiting_${table}`);
    saved += (await sql.unsafe(`create temp table waiting_${table} on commit drop as ${rows[table]}`)).count;
  }
  return saved;
}

/** Inserts the rows that were copied aside. */
export async function putWaitingBack(sql: TransactionSql): Promise<void> {
  for (const table of BLOCK_TABLES)
    await sql.unsafe(`insert into ${table} select * from pg_temp.waiting_${table}`);
}
