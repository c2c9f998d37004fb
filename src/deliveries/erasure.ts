import { arrayOf } from "../db/arrays";
import type { TransactionSql } from "../db/pool";
import { isInQueue } from "../db/queue-key";
import type { Place } from "../endpoints/place";
import type { AccountId, DeliveryId, EndpointId } from "../runtime/ids";
import { cancelDoomed, reviseShortened } from "./cancellation";

export type Erased = {
  /** Those whose payload was there and is gone. */
  deliveries: { id: DeliveryId; endpointId: EndpointId }[];
  /** The endpoints that had some of them pending. */
  shortened: Place[];
};

/**
 * Erases the payloads of deliveries, and of all that have the same payload by being sent again: what is pending of
 * them is cancelled, everything else about them stays. Those that have none any more are passed over.
 */
export async function erasePayloads(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<Erased> {
  const erased: Erased = { deliveries: [], shortened: [] };
  // A resend holds the delivery that it copies. So the copies that were under way are seen once its lock is had, and
  // when none is left, none is under way either.
  for (;;) {
    const family = await lockFamily(sql, accountId, ids);
    if (family.length === 0) return erased;
    erased.deliveries.push(...family);
    erased.shortened.push(...(await eraseLocked(sql, accountId, family)));
  }
}

/** The deliveries, what they send again and what sends them again, as far as they have their payload. */
function lockFamily(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<Erased["deliveries"]> {
  return sql<Erased["deliveries"]>`
    with firsts as materialized (
      select distinct coalesce(replay_of, id) as id from deliveries
      where id = any(${arrayOf(ids)}::uuid[]) and account_id = ${accountId}
    ),
    family as materialized (
      select d.id from firsts f join deliveries d on d.account_id = ${accountId} and d.id = f.id
      union all
      select d.id from firsts f join deliveries d on d.replay_of = f.id and d.replay_of is not null
    )
    select d.id, d.endpoint_id as "endpointId"
    from family f join deliveries d on d.account_id = ${accountId} and d.id = f.id
    where d.data is not null
    order by d.id
    for update of d
  `;
}

function eraseLocked(
  sql: TransactionSql,
  accountId: AccountId,
  family: Erased["deliveries"],
): Promise<Place[]> {
  return sql<Place[]>`
    with family as materialized (select * from unnest(${arrayOf(family.map(({ id }) => id))}::uuid[]) as f(id)),
    doomed as materialized (
      select i.partition, i.endpoint_id, i.sequence
      from family f
      -- One by one: joined, they are looked for in all that the account has pending while the queue counts as empty.
      cross join lateral (
        select w.partition, w.endpoint_id, w.sequence from queue w
        where w.account_id = ${accountId} and w.delivery_id = f.id limit 1
      ) i
      join queue q on ${isInQueue(sql, "i")}
      order by i.partition, i.endpoint_id, i.sequence
      for update of q
    ),
    ${cancelDoomed(sql, "erased")},
    ${reviseShortened(sql)},
    emptied as (update deliveries d set data = null from family f where d.account_id = ${accountId} and d.id = f.id),
    noted as (insert into erasures (delivery_id) select id from family)
    select distinct partition, endpoint_id as "endpointId" from gone
  `;
}
