import type { Sql } from "../db/pool";
import { deliveryById } from "../db/sql/planner";
import type { AccountId, EndpointId } from "../domain/ids";
import type { DeliverySummary } from "./delivery";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./lists/summary";

/**
 * An order whose first pending delivery has had an attempt, and the number of its pending deliveries. The key is null for
 * deliveries without one, and for an endpoint that is `ordered`.
 */
export type StuckOrder = { orderingKey: string | null; pending: number; head: DeliverySummary };

/** If they are not complete, there may be more orders, and more deliveries in each. */
export type StuckOrders = { orders: StuckOrder[]; complete: boolean };

/** Most pending deliveries of an endpoint, the first ones, that are searched for their orders. */
export const MOST_EXAMINED = 10_000;

type StuckOrderRow = SummaryRow & { complete: boolean; key: string | null; pending: number | null };

/** Reads the stuck orders with most pending deliveries first. Resolves to null if the account has no such endpoint. */
// One statement, so that each head is pending.
export async function readStuckOrders(
  sql: Sql,
  accountId: AccountId,
  { endpointId, limit }: { endpointId: EndpointId; limit: number },
): Promise<StuckOrders | null> {
  const rows = await sql<StuckOrderRow[]>`
    with examined as materialized (
      select q.sequence, q.delivery_id, q.attempt_count, case when e.ordering = 'by_key' then q.ordering_key end as key
      from endpoints e
      join mailboxes m on m.endpoint_id = e.id
      join queue q on q.partition = m.partition and q.endpoint_id = m.endpoint_id
      where e.id = ${endpointId} and e.ordering <> 'unordered'
      order by q.sequence limit ${MOST_EXAMINED}
    ),
    stuck as (
      select f.delivery_id, f.sequence, f.key, o.pending
      from (select key, min(sequence) as sequence, count(*)::integer as pending from examined group by key) o
      join examined f on f.sequence = o.sequence
      where f.attempt_count > 0
      order by o.pending desc, o.sequence limit ${limit}
    )
    select (select count(*) from examined) < ${MOST_EXAMINED} as complete, s.key, s.pending, d.*
    from endpoints e
    left join stuck s on true
    left join lateral (
      select ${summaryColumns(sql)}
      from ${deliveryById(sql, accountId, sql`s.delivery_id`)} d
      ${summaryJoins(sql)}
    ) d on true
    where e.id = ${endpointId} and e.account_id = ${accountId} and e.deleted_at is null
    order by s.pending desc, s.sequence
  `;
  const [first] = rows;
  if (!first) return null;
  const orders = rows.flatMap(({ complete: _complete, key, pending, ...row }) =>
    pending === null ? [] : [{ orderingKey: key, pending, head: toSummary(row) }],
  );
  return { orders, complete: first.complete };
}
