import type { AccountId, EndpointId } from "../../domain/ids";
import type { AnySql, Fragment } from "../pool";

/*
 * Forms of SQL that leave Postgres one plan, whatever its statistics say. Statistics taken at a quiet time show an empty queue,
 * and a plan that was made for an empty table stays after the table has grown.
 */

/**
 * Session settings that make Postgres look rows up by key. Plans made for an empty table hash or scan it, and stay after the
 * table has grown. Until the tables are analyzed, a list's first page then takes 544 ms instead of 0.6 ms (measured).
 */
export const BY_KEY = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // Plans over many time ranges look expensive enough for JIT, which compiles them each time. With 15 ranges on Postgres 15, a
  // delivery's page then takes 275 ms instead of 1 ms (measured).
  jit: "off",
  // Plans don't depend on the parameters. Planning each time takes a third of a small commit's time.
  plan_cache_mode: "force_generic_plan",
};

/**
 * SQL: `column = value`, but never a reason to scan the column's index for the value alone. For the first column of a key: before
 * Postgres 17, `any` for a further column scans too.
 */
export function withinKey(column: string, value: string): string {
  return `${column} = any(array[${value}])`;
}

/** SQL: ends a subquery that Postgres computes once for each row, and does not repeat wherever its columns are used. */
export const ONCE = "offset 0";

/** An account's id, or the SQL of one. */
export type AccountRef = AccountId | Fragment;

/**
 * True for the row `q` of the queue that a row `of` names. Written so that Postgres can only look it up by its key. With `=`
 * alone, Postgres scans a queue that has grown since it was analyzed in every statement: with 40,000 deliveries waiting,
 * recording took a second instead of a millisecond (measured). So does any condition that another index fits for one of the
 * columns (see `queue_account`).
 */
export function isInQueue(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(isInQueueText(of))}`;
}

/** Returns the condition of `isInQueue` as text. */
export function isInQueueText(of: string): string {
  const isInPartition = withinKey("q.partition", `${of}.partition`);
  return `${isInPartition} and q.endpoint_id = ${of}.endpoint_id and q.sequence = ${of}.sequence`;
}

/**
 * True for the rows `q` of an endpoint, read in the order of ids among its account's pending deliveries. Compares
 * endpoints by the function behind the operator, which fits no index and is estimated to match many rows. With the
 * operator, Postgres 18 chose the queue's key, and read and sorted everything that a dead endpoint had waiting.
 * Measured with 265,000 deliveries: 60 ms a page instead of 2.
 */
export function isAmongAccounts(sql: AnySql, accountId: AccountRef, endpointId: EndpointId): Fragment {
  return sql`q.account_id = ${accountId} and uuid_eq(q.endpoint_id, ${endpointId})`;
}

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
