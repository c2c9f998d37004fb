import type { AccountId, EndpointId } from "../runtime/ids";
import type { AnySql, Fragment } from "./pool";

/** What all rows of an endpoint's have in common in the queue's key: where its deliveries wait. */
export type QueueKey = Readonly<{ partition: number; endpointId: EndpointId }>;

/**
 * True for the row `q` of the queue that a row `of` names. Written so that Postgres can but look it up by its key: a queue
 * is empty whenever its statistics are taken in quiet, and once it has grown, the same condition with `=` alone goes over
 * all of it in each statement (measured: with 40,000 deliveries waiting a record takes a second instead of a millisecond).
 * So does one with `any` for more than the first column, before Postgres 17; and so would one that can use another index than
 * the key's for one of the columns (see `queue_account`).
 */
export function isInQueue(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(isInQueueText(of))}`;
}

/** The same as text. */
export function isInQueueText(of: string): string {
  return `q.partition = any(array[${of}.partition]) and q.endpoint_id = ${of}.endpoint_id and q.sequence = ${of}.sequence`;
}

/**
 * True for the rows `q` of the queue that are an endpoint's, to be found in the order of ids among all that its account has
 * pending. Endpoints are compared by the function behind the operator, which fits no index and counts as true of many. With
 * the operator Postgres 18 takes the queue's key, whose first column it can do without, and reads and sorts all that a dead
 * endpoint has waiting, since most endpoints have little (measured with 265,000 of them: 60 ms a page instead of 2).
 */
export function isAmongAccounts(sql: AnySql, accountId: AccountId, endpointId: EndpointId): Fragment {
  return sql`q.account_id = ${accountId} and uuid_eq(q.endpoint_id, ${endpointId})`;
}
