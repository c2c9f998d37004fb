import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { isInQueue } from "../db/sql/planner";
import type { AccountId, DeliveryId, EndpointId } from "../domain/ids";
import { type QueueKey, SCHEDULED } from "../domain/partition";
import { startNow } from "./schedule";
import { firstOfOrder } from "./waiting";

/** Most waiting deliveries of an endpoint that one statement makes due, in the order in which they are due. */
export const MOST_RETRIED = 10_000;
/** Most attempts of a delivery up to which a retry is free. Otherwise a client's loop could retry without end. */
export const MOST_FREE = 1_000;

/** `ended` also if the account has no such delivery. */
export type Retried =
  | { kind: "retried"; queue: QueueKey }
  | { kind: "ended" }
  | { kind: "inactive" }
  | { kind: "behind"; head: DeliveryId };

type RetriedDelivery = QueueKey & { sequence: number; isActive: boolean; head: DeliveryId | null };

/**
 * Makes a pending delivery due now, if it is the first of its order and its endpoint is active. The attempt is free if it ends a
 * wait. A scheduled delivery gets its sequence now.
 */
export async function retryDelivery(
  sql: TransactionSql,
  accountId: AccountId,
  id: DeliveryId,
): Promise<Retried> {
  const [found] = await sql<RetriedDelivery[]>`
    select q.partition, q.endpoint_id as "endpointId", q.sequence, e.is_active as "isActive",
      case when f.sequence < q.sequence then f.delivery_id end as head
    from queue q join endpoints e on e.id = q.endpoint_id cross join lateral (${firstOfOrder(sql)}) f
    where q.account_id = ${accountId} and q.delivery_id = ${id}
    for update of q
  `;
  if (!found) return { kind: "ended" };
  const { partition, endpointId, sequence, isActive, head } = found;
  if (!isActive) return { kind: "inactive" };
  if (partition === SCHEDULED) {
    const queue = await startNow(sql, endpointId, sequence);
    return queue ? { kind: "retried", queue } : { kind: "ended" };
  }
  if (head !== null) return { kind: "behind", head };
  await sql`
    update queue set ${madeDue(sql)}
    where account_id = ${accountId} and delivery_id = ${id} and next_attempt_at > now()
  `;
  await endRest(sql, endpointId);
  await revise(sql, endpointId);
  return { kind: "retried", queue: { partition, endpointId } };
}

/** Makes the deliveries of an endpoint that wait for a retry due now. Their attempts are free. Returns their number. */
export async function retryWaiting(sql: AnySql, { partition, endpointId }: QueueKey): Promise<number> {
  const [row] = await sql<{ retried: number }[]>`
    with waiting as materialized (
      select partition, endpoint_id, sequence from queue
      where partition = ${partition} and endpoint_id = ${endpointId} and next_attempt_at > now()
      order by next_attempt_at limit ${MOST_RETRIED}
      for update
    ),
    due as (
      update queue q set ${madeDue(sql)} from waiting w where ${isInQueue(sql, "w")} returning 1
    )
    select count(*)::integer as retried from due
  `;
  const retried = row?.retried ?? 0;
  const isRested = await endRest(sql, endpointId);
  if (retried > 0 || isRested) await revise(sql, endpointId);
  return retried;
}

/** SQL: ends a row's wait. The attempt is free: marked, not counted, so however many requests end the wait, it counts once. */
function madeDue(sql: AnySql): Fragment {
  return sql`next_attempt_at = now(), next_is_free = attempt_count < ${MOST_FREE}`;
}

/** Ends the rest that a receiver asked for. Returns true if the endpoint rested. */
async function endRest(sql: AnySql, endpointId: EndpointId): Promise<boolean> {
  const rested = await sql`
    update endpoints set rests_until = now() where id = ${endpointId} and rests_until > now() returning 1
  `;
  return rested.length > 0;
}

/** Raises the endpoint's revision, so that its dispatcher reads the queue again. */
async function revise(sql: AnySql, endpointId: EndpointId): Promise<void> {
  await sql`
    update mailboxes set revision = revision + 1, queue_revision = queue_revision + 1 where endpoint_id = ${endpointId}
  `;
}
