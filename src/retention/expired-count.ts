import type { TransactionSql } from "../db/pool";
import type { RangeTables } from "./range-tables";

/**
 * Counts the deliveries of an expired time range, in many short transactions.
 *
 * A day may hold 50 million deliveries. Counting them in one statement takes minutes, and its snapshot blocks vacuum in every
 * table meanwhile. So each step adds some deliveries, in the order of the key, to `retention_counts`, and moves the position in
 * `retention_progress` in the same transaction. A process that dies loses one step. Accounts' figures change in the transaction
 * that drops the time range.
 */
export type CountStep = Readonly<{
  /** Deliveries that this step counted. */
  counted: number;
  isComplete: boolean;
}>;

/** Counts the next `most` deliveries of a time range. */
export async function countNext(
  sql: TransactionSql,
  { names }: RangeTables,
  most: number,
): Promise<CountStep> {
  const [begun] = await sql<{ accountId: string; deliveryId: string; isComplete: boolean }[]>`
    insert into retention_progress as p (time_range) values (${names.deliveries})
    on conflict (time_range) do update set time_range = excluded.time_range
    returning p.account_id as "accountId", p.delivery_id as "deliveryId", p.is_complete as "isComplete"
  `;
  if (!begun || begun.isComplete) return { counted: 0, isComplete: true };
  // Unprepared, since each time range would leave a prepared statement on the connection.
  const [step] = await sql.unsafe<{ counted: number; accountId: string | null; deliveryId: string | null }[]>(
    `
    with counted as materialized (
      select d.account_id, d.id, coalesce(d.event, '') as event, r.status
      from (
        select account_id, id, endpoint_id, event from "${names.deliveries}"
        where (account_id, id) > ($1::uuid, $2::uuid) order by account_id, id limit $3::bigint
      ) d
      left join lateral (
        select status from "${names.results}" of_endpoint
        where of_endpoint.endpoint_id = d.endpoint_id and of_endpoint.delivery_id = d.id limit 1
      ) r on true
    ),
    added as (
      insert into retention_counts as c (time_range, account_id, event, accepted, delivered, failed, cancelled)
      select $4, account_id, event, count(*), count(*) filter (where status = 'delivered'),
        count(*) filter (where status = 'failed'), count(*) filter (where status = 'cancelled')
      from counted group by account_id, event
      on conflict (time_range, account_id, event) do update
        set accepted = c.accepted + excluded.accepted, delivered = c.delivered + excluded.delivered,
          failed = c.failed + excluded.failed, cancelled = c.cancelled + excluded.cancelled
    )
    select (select count(*) from counted) as counted, l.account_id as "accountId", l.id as "deliveryId"
    from (select) one left join lateral (
      select account_id, id from counted order by account_id desc, id desc limit 1
    ) l on true
    `,
    [begun.accountId, begun.deliveryId, most, names.deliveries],
  );
  const counted = step?.counted ?? 0;
  const isComplete = counted < most;
  await sql`
    update retention_progress
    set account_id = ${step?.accountId ?? begun.accountId}, delivery_id = ${step?.deliveryId ?? begun.deliveryId},
      is_complete = ${isComplete}
    where time_range = ${names.deliveries}
  `;
  return { counted, isComplete };
}

/** Subtracts a time range's count from its accounts' figures, and deletes the count. */
export async function subtractCount(sql: TransactionSql, { names }: RangeTables): Promise<void> {
  await sql`
    with gone as (
      delete from retention_counts where time_range = ${names.deliveries}
      returning account_id, event, accepted, delivered, failed, cancelled
    )
    insert into counter_deltas (account_id, event, accepted, delivered, failed, cancelled)
    select account_id, event, -accepted, -delivered, -failed, -cancelled from gone
  `;
}

/**
 * True if a delivery arrived in the time range after its count began, from a process whose clock is far behind. The count may
 * lack it. Takes one look-up for each account, by the index that iterators use.
 */
export async function hasUncounted(sql: TransactionSql, { names }: RangeTables): Promise<boolean> {
  const rows = await sql.unsafe(
    `
    select from retention_progress p cross join accounts a cross join lateral (
      select from "${names.deliveries}" d where d.account_id = a.id and d.transaction >= stamp(a.era, p.began) limit 1
    ) later
    where p.time_range = $1 limit 1
    `,
    [names.deliveries],
  );
  return rows.length > 0;
}

/**
 * Restarts the count of a time range at its first delivery. Returns false, and leaves no count, while an open transaction is
 * older than the uncounted deliveries: they would seem uncounted again.
 */
export async function countAgain(sql: TransactionSql, range: RangeTables): Promise<boolean> {
  await forgetCount(sql, range);
  await sql`insert into retention_progress (time_range) values (${range.names.deliveries})`;
  if (!(await hasUncounted(sql, range))) return true;
  await forgetCount(sql, range);
  return false;
}

/** Deletes a time range's progress; its next count starts at the first delivery. */
export async function forgetCount(sql: TransactionSql, { names }: RangeTables): Promise<void> {
  await sql`delete from retention_counts where time_range = ${names.deliveries}`;
  await sql`delete from retention_progress where time_range = ${names.deliveries}`;
}
