import type { Fragment, Sql } from "../db/pool";
import type { DeliveryStatus } from "../domain/delivery-status";
import type { AccountId } from "../domain/ids";

/** Numbers of deliveries by outcome, from the counters. Exact, however long the history is. */
export type DeliveryCounts = Record<DeliveryStatus, number> & { total: number };

/** Reads the counts of an account, or of one of its event types: one row and its latest deltas. */
export async function readCounts(sql: Sql, accountId: AccountId, event?: string): Promise<DeliveryCounts> {
  const [row] = await sql<
    DeliveryCounts[]
  >`select ${countColumns(sql)} from ${countsOf(sql, accountId, event)} c`;
  if (!row) throw new Error("the sum over the counters returned no row");
  return row;
}

/** Sums the counts of all accounts: one row each and the latest deltas. */
export async function readAllCounts(sql: Sql): Promise<DeliveryCounts> {
  const [row] = await sql<DeliveryCounts[]>`
    select ${countColumns(sql)} from (
      select accepted, delivered, failed, cancelled from totals
      union all
      select accepted, delivered, failed, cancelled from counter_deltas
    ) c
  `;
  if (!row) throw new Error("the sum over the counters returned no row");
  return row;
}

/** Reads the counts of an account and of one of its event types. Without an event type both are the same. */
export async function readCountsBoth(
  sql: Sql,
  accountId: AccountId,
  event: string | undefined,
): Promise<{ all: DeliveryCounts; ofEvent: DeliveryCounts }> {
  if (event === undefined) {
    const all = await readCounts(sql, accountId);
    return { all, ofEvent: all };
  }
  const rows = await sql<(DeliveryCounts & { isEvent: boolean })[]>`
    select false as "isEvent", ${countColumns(sql)} from ${countsOf(sql, accountId)} c
    union all
    select true, ${countColumns(sql)} from ${countsOf(sql, accountId, event)} c
  `;
  const [all, ofEvent] = [rows.find((row) => !row.isEvent), rows.find((row) => row.isEvent)];
  if (!all || !ofEvent) throw new Error("the sum over the counters returned no row");
  return { all, ofEvent };
}

/** SQL: the rows to sum for the counts of an account, or of one of its event types. */
export function countsOf(sql: Sql, accountId: AccountId, event?: string): Fragment {
  const isOfEvent = event === undefined ? sql`` : sql`and event = ${event}`;
  return sql`
    (
      select accepted, delivered, failed, cancelled from ${event === undefined ? sql`totals` : sql`counters`}
      where account_id = ${accountId} ${isOfEvent}
      union all
      select accepted, delivered, failed, cancelled from counter_deltas where account_id = ${accountId} ${isOfEvent}
    )
  `;
}

/** SQL: the sums over `c` of `countsOf`. Pending is accepted minus ended. */
export function countColumns(sql: Sql) {
  return sql`
    coalesce(sum(c.accepted), 0)::bigint as total,
    coalesce(sum(c.delivered), 0)::bigint as delivered,
    coalesce(sum(c.failed), 0)::bigint as failed,
    coalesce(sum(c.cancelled), 0)::bigint as cancelled,
    coalesce(sum(c.accepted - c.delivered - c.failed - c.cancelled), 0)::bigint as pending
  `;
}

/** Returns the number of deliveries with a status; undefined for all. */
export function countOf(counts: DeliveryCounts, status: DeliveryStatus | undefined): number {
  return status === undefined ? counts.total : counts[status];
}
