import type { AccountId } from "../runtime/ids";
import type { AnySql, Fragment } from "./pool";

/**
 * The delivery of an account's with an id, as a table with one row or none, for a lateral join. With its limit Postgres can but
 * look it up by its key. In a join by both columns it may go over all that the account has, and then look at the ids: of an
 * account that has much where most have little, and of any while a plan stands that was made when there was nothing (measured,
 * of 100,000: a job's step takes 210 and 1,031 ms instead of 2 and 3).
 */
export function deliveryById(sql: AnySql, accountId: AccountId | Fragment, id: Fragment): Fragment {
  return sql`(
    select * from deliveries of_account where of_account.account_id = ${accountId} and of_account.id = ${id} limit 1
  )`;
}

/**
 * True for the rows of a table of deliveries that are of an event type, to be read from its index in the order of ids. With `=`
 * alone the key's order is as good to Postgres when its statistics know of one event type only, and it goes over all that the
 * account has for one that is rare. With the bounds added it expects few rows, and so reads the event's index.
 */
export function isOfEvent(sql: AnySql, table: "d" | "i", event: string): Fragment {
  const column = sql.unsafe(`${table}.event`);
  return sql`(${column} = ${event} and ${column} >= ${event} and ${column} <= ${event})`;
}
