import type { TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { deliveryById } from "../db/sql/delivery-key";
import { isInQueue, type QueueKey } from "../db/sql/queue-key";
import type { AccountId, DeliveryId, EndpointId } from "../domain/ids";
import { bumpRevisions, cancelLocked } from "./cancellation";

export type Erased = {
  /** Deliveries whose payload was erased just now. */
  deliveries: { id: DeliveryId; endpointId: EndpointId }[];
  /** Endpoints that had some of them pending. */
  shortened: QueueKey[];
};

/**
 * Erases the payloads of deliveries, and of all resends with the same payload. Cancels pending ones; everything else
 * about them stays. Skips deliveries whose payload is erased already.
 */
export async function erasePayloads(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<Erased> {
  const erased: Erased = { deliveries: [], shortened: [] };
  // A resend locks the delivery that it copies. So copies in progress become visible once that lock is granted. When no
  // delivery with a payload is left, no copy is in progress either.
  for (;;) {
    const family = await lockFamily(sql, accountId, ids);
    if (family.length === 0) return erased;
    erased.deliveries.push(...family);
    erased.shortened.push(...(await eraseLocked(sql, accountId, family)));
  }
}

/** Locks the deliveries, their originals and their resends, as far as they have a payload. */
function lockFamily(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<Erased["deliveries"]> {
  return sql<Erased["deliveries"]>`
    with firsts as materialized (
      select distinct coalesce(d.replay_of, d.id) as id
      from unnest(${arrayOf(ids)}::uuid[]) as i(id) cross join lateral ${deliveryById(sql, accountId, sql`i.id`)} d
    ),
    family as materialized (
      select f.id from firsts f
      union all
      select d.id from firsts f join deliveries d on d.replay_of = f.id and d.replay_of is not null
    )
    select d.id, d.endpoint_id as "endpointId"
    from (select f.id from family f order by f.id) f
    -- As deliveryById, but locks the rows in this order.
    cross join lateral (
      select x.id, x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = f.id and x.data is not null
      limit 1 for update
    ) d
  `;
}

function eraseLocked(
  sql: TransactionSql,
  accountId: AccountId,
  family: Erased["deliveries"],
): Promise<QueueKey[]> {
  return sql<QueueKey[]>`
    -- The account is a column: as a parameter, each look-up could scan everything of the account (see deliveryById).
    with family as materialized (
      select f.id, ${accountId}::uuid as account_id from unnest(${arrayOf(family.map(({ id }) => id))}::uuid[]) as f(id)
    ),
    doomed as materialized (
      select i.partition, i.endpoint_id, i.sequence
      from family f
      -- One by one: while statistics show an empty queue, a join would scan everything that the account has pending.
      cross join lateral (
        select w.partition, w.endpoint_id, w.sequence from queue w
        where w.account_id = ${accountId} and w.delivery_id = f.id limit 1
      ) i
      join queue q on ${isInQueue(sql, "i")}
      order by i.partition, i.endpoint_id, i.sequence
      for update of q
    ),
    ${cancelLocked(sql, "erased")},
    ${bumpRevisions(sql)},
    emptied as (update deliveries d set data = null from family f where d.account_id = f.account_id and d.id = f.id),
    noted as (insert into erasures (delivery_id) select id from family)
    select distinct partition, endpoint_id as "endpointId" from gone
  `;
}
