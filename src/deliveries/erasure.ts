import type { Fragment, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { deliveryById } from "../db/sql/delivery-key";
import { eventIdSql, lastIdSql } from "../db/sql/event-key";
import { isInQueue, type QueueKey } from "../db/sql/queue-key";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import { bumpRevisions, cancelLocked } from "./cancellation";

export type Erased = {
  /** Deliveries whose payload was erased just now. */
  deliveries: { id: DeliveryId; endpointId: EndpointId }[];
  /** Events whose payload was erased just now. */
  events: EventId[];
  /** Endpoints that had some of the deliveries pending. */
  shortened: QueueKey[];
};

/**
 * Erases the payloads of deliveries and events wherever they are: in the event, in all its deliveries, and in all resends
 * with the same payload. Cancels pending ones; everything else about them stays. Skips what is erased already.
 */
export async function erasePayloads(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<Erased> {
  const erased: Erased = { deliveries: [], events: [], shortened: [] };
  // A resend locks the delivery that it copies, and a replay of missing events the event. So copies in progress become
  // visible once that lock is granted. When nothing with a payload is left, no copy is in progress either.
  for (;;) {
    const events = await lockEvents(sql, accountId, ids);
    const family = await lockFamily(sql, accountId, ids);
    if (events.length === 0 && family.length === 0) return erased;
    erased.events.push(...events);
    erased.deliveries.push(...family);
    erased.shortened.push(...(await eraseLocked(sql, accountId, events, family)));
  }
}

/** The first deliveries with the payloads, and the ids that their events have, if there are such events. */
function firstsOf(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Fragment {
  return sql`
    firsts as materialized (
      select f.id, ${sql.unsafe(eventIdSql("f.id"))} as event_id
      from (
        select distinct coalesce(d.replay_of, d.id, i.id) as id
        from unnest(${arrayOf(ids)}::uuid[]) as i(id)
        left join lateral ${deliveryById(sql, accountId, sql`i.id`)} d on true
      ) f
    )
  `;
}

/** Locks the events with a payload. */
async function lockEvents(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<EventId[]> {
  const rows = await sql<{ id: EventId }[]>`
    with ${firstsOf(sql, accountId, ids)}
    select e.id from (select distinct event_id from firsts order by event_id) f
    cross join lateral (
      select x.id from events x
      where x.account_id = ${accountId} and x.id = f.event_id and x.data <> ''
      limit 1 for update
    ) e
  `;
  return rows.map(({ id }) => id);
}

/** Locks the deliveries, those of their events, and the resends of all, as far as they are not erased. */
function lockFamily(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<Erased["deliveries"]> {
  return sql<Erased["deliveries"]>`
    with ${firstsOf(sql, accountId, ids)},
    originals as materialized (
      select id from firsts
      union
      select d.id
      from (select distinct event_id from firsts) f
      cross join lateral (
        select x.id from events x where x.account_id = ${accountId} and x.id = f.event_id limit 1
      ) e
      cross join lateral (
        select x.id from deliveries x
        where x.account_id = ${accountId} and x.id > e.id and x.id <= ${sql.unsafe(lastIdSql("e.id"))}
        order by x.id
      ) d
    ),
    family as materialized (
      select o.id from originals o
      union all
      select d.id from originals o join deliveries d on d.replay_of = o.id and d.replay_of is not null
    )
    select d.id, d.endpoint_id as "endpointId"
    from (select f.id from family f order by f.id) f
    -- As deliveryById, but locks the rows in this order.
    cross join lateral (
      select x.id, x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = f.id and x.data is distinct from ''
      limit 1 for update
    ) d
  `;
}

function eraseLocked(
  sql: TransactionSql,
  accountId: AccountId,
  events: readonly EventId[],
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
    emptied as (update deliveries d set data = '' from family f where d.account_id = f.account_id and d.id = f.id),
    erased_events as materialized (
      select e.id, ${accountId}::uuid as account_id from unnest(${arrayOf(events)}::uuid[]) as e(id)
    ),
    emptied_events as (
      update events v set data = '' from erased_events e where v.account_id = e.account_id and v.id = e.id
    ),
    noted as (insert into erasures (delivery_id) select id from family union all select id from erased_events)
    select distinct partition, endpoint_id as "endpointId" from gone
  `;
}
