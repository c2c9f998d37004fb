import { type Database, untilNoDeadlock } from "../db/database";
import type { AnySql } from "../db/pool";
import { intervalOf, unixMs } from "../db/sql/time";
import { firstOfOrder, orderPositionOf } from "../deliveries/waiting";

/** Most waiting retries of an endpoint that are read, in the order in which they are due. */
export const MAX_RETRIES_READ = 1_000;

/**
 * Marks endpoints with a delivery that has been retried for `afterMs` and holds back its order, and reports them to feeds. A
 * mark stays until its delivery has ended. So each delivery is reported once, and an endpoint has one report at a time. Returns
 * the number of marked endpoints.
 *
 * Walks the index of retries from endpoint to endpoint, so the cost follows the number of endpoints that fail.
 */
export async function findBlocked(db: Database, afterMs: number): Promise<number> {
  return untilNoDeadlock(() => db.run((sql) => markBlocked(sql, afterMs)));
}

async function markBlocked(sql: AnySql, afterMs: number): Promise<number> {
  const [row] = await sql<{ marked: number }[]>`
    with recursive retrying as (
      (
        select q.partition, q.endpoint_id from queue q
        where q.next_attempt_at is not null and q.partition >= 0
        order by q.partition, q.endpoint_id, q.next_attempt_at limit 1
      )
      union all
      select n.*
      from retrying r
      cross join lateral (
        select q.partition, q.endpoint_id from queue q
        where q.next_attempt_at is not null and (q.partition, q.endpoint_id) > (r.partition, r.endpoint_id)
        order by q.partition, q.endpoint_id, q.next_attempt_at limit 1
      ) n
    ),
    found as materialized (
      select e.id, e.blocked_by as marked, b.*
      from retrying r
      join endpoints e on e.id = r.endpoint_id and e.is_active and e.ordering <> 'unordered'
      cross join lateral (
        select q.*, a.started_at
        from (
          select q.* from queue q
          where q.partition = r.partition and q.endpoint_id = r.endpoint_id and q.next_attempt_at is not null
          order by q.next_attempt_at limit ${MAX_RETRIES_READ}
        ) q
        cross join lateral (${firstOfOrder(sql)}) f
        join attempts a on a.delivery_id = q.delivery_id and a.attempt = 1
        where f.sequence = q.sequence and a.started_at <= now() - ${intervalOf(sql, afterMs)}
        order by q.sequence limit 1
      ) b
      where not exists (select from queue m where m.account_id = e.account_id and m.delivery_id = e.blocked_by)
      order by e.id
    ),
    -- If two processes find the same endpoint, the second waits here, and then finds it marked.
    marked as (
      update endpoints e set blocked_by = q.delivery_id, blocked_since = q.started_at
      from found q where e.id = q.id and e.blocked_by is not distinct from q.marked
      returning e.*
    ),
    reported as (
      insert into feed_outbox (account_id, about, event, facts)
      select h.hearer, e.account_id, 'endpoint.blocked', json_build_object(
        'endpointId', e.id, 'url', e.url, 'deliveryId', q.delivery_id, 'orderingKey', q.ordering_key,
        'since', ${unixMs(sql, "q.started_at")}, 'behind', ${orderPositionOf(sql)} -> 'behind',
        'reason', (
          select coalesce(a.error, 'status') from attempts a where a.delivery_id = q.delivery_id and a.attempt = q.attempt_count
        )
      )
      from marked e join found q on q.id = e.id
      cross join lateral feed_hearers(e.account_id) as h(hearer)
      where not e.feed
    )
    select count(*)::integer as marked from marked
  `;
  return row?.marked ?? 0;
}
