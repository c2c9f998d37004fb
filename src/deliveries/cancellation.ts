import type { AnySql, TransactionSql } from "../db/pool";
import { deliveryById, isInQueue } from "../db/sql/planner";
import { tallyGone } from "../db/sql/tallies";
import type { EndReason } from "../domain/delivery-status";
import type { AccountId, DeliveryId } from "../domain/ids";
import type { QueueKey } from "../domain/partition";

/**
 * Returns the part of a statement that cancels the deliveries that its `doomed` has locked in the queue. They are in `gone`. Safe
 * beside the recorder: if both end a delivery at the same moment, the second finds it gone when it gets the lock.
 */
export function cancelLocked(sql: AnySql, reason: EndReason) {
  return sql`
    gone as (
      delete from queue q using doomed d
      where ${isInQueue(sql, "d")}
      returning q.partition, q.endpoint_id, q.delivery_id, q.account_id, q.attempt_count, q.response_status
    ),
    ended as (
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, end_reason, completed_at)
      select delivery_id, account_id, endpoint_id, 'cancelled', attempt_count, response_status, ${reason}::end_reason, now()
      from gone
    ),
    counted as (
      insert into counter_deltas (account_id, event, cancelled)
      select g.account_id, coalesce(d.event, ''), count(*)
      from gone g left join lateral ${deliveryById(sql, sql`g.account_id`, sql`g.delivery_id`)} d on true
      group by 1, 2
    ),
    ${tallyGone(sql, "cancelled")}
  `;
}

/** Returns the part that raises the revisions of endpoints in `gone`, so that their dispatchers read the queues again. */
export function bumpRevisions(sql: AnySql) {
  return sql`
    revised as (
      update mailboxes m set revision = m.revision + 1, queue_revision = m.queue_revision + 1
      where m.endpoint_id in (select endpoint_id from gone)
    )
  `;
}

/**
 * Cancels a pending delivery and returns its queue. Resolves to null if it is not pending or not the account's. A running
 * attempt continues, but its outcome is not recorded.
 */
export async function cancelDelivery(
  sql: TransactionSql,
  accountId: AccountId,
  id: DeliveryId,
): Promise<QueueKey | null> {
  const [queue] = await sql<QueueKey[]>`
    with doomed as materialized (
      select partition, endpoint_id, sequence from queue
      where account_id = ${accountId} and delivery_id = ${id}
      for update
    ),
    ${cancelLocked(sql, "requested")},
    ${bumpRevisions(sql)}
    select partition, endpoint_id as "endpointId" from gone
  `;
  return queue ?? null;
}
