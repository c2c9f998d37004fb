import type { AccountId } from "../../domain/ids";
import type { AnySql, Fragment } from "../pool";

/**
 * Selects an account's delivery by id, as one row or none, for a lateral join. The limit leaves Postgres no plan but a
 * look-up by key. A join by both columns may scan everything that the account has and compare ids. That happens for an
 * account with far more than most, and for any account with a plan made when the table was empty. Measured with 100,000
 * deliveries: a job's step takes 210 and 1,031 ms instead of 2 and 3.
 */
export function deliveryById(sql: AnySql, accountId: AccountId | Fragment, id: Fragment): Fragment {
  return sql`(
    select * from deliveries of_account where of_account.account_id = ${accountId} and of_account.id = ${id} limit 1
  )`;
}

/**
 * True for deliveries of an event type, read from its index in the order of ids. With `=` alone, statistics that know
 * one event type make the key look as good, and Postgres scans everything the account has for a rare type. The bounds
 * make it expect few rows, and so it reads the event's index.
 */
export function isOfEvent(sql: AnySql, table: "d" | "i", event: string): Fragment {
  const column = sql.unsafe(`${table}.event`);
  return sql`(${column} = ${event} and ${column} >= ${event} and ${column} <= ${event})`;
}
