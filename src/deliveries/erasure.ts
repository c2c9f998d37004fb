import type { Thawing } from "../cold/thawing";
import type { Fragment, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { eventIdSql, lastIdSql } from "../db/sql/event-key";
import { deliveryById, isInQueue } from "../db/sql/planner";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import { bumpRevisions, cancelLocked } from "./cancellation";

export type Erased = {
  /** Deliveries whose payload this call erased. */
  deliveries: { id: DeliveryId; endpointId: EndpointId }[];
  /** Events whose payload this call erased. */
  events: EventId[];
  /** Queues of endpoints that had pending deliveries among them. */
  shortened: QueueKey[];
};

/**
 * Erases the payloads of deliveries and events everywhere: in the event, in all its deliveries, and in all resends with the same
 * payload. Cancels pending deliveries. Keeps all other facts about them. Skips payloads that are already erased. Brings back to
 * Postgres what is in files, which are then written again without the payloads.
 */
export async function erasePayloads(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
  thawing: Thawing | null = null,
): Promise<Erased> {
  await thawing?.bringFamilies(sql, accountId, ids);
  const erased: Erased = { deliveries: [], events: [], shortened: [] };
  // Repeats until no payload is left. A resend locks the delivery that it copies, and a replay of missing events locks the event,
  // so a copy in progress becomes visible once this statement gets the lock. Without a payload no new copy can begin.
  for (;;) {
    const events = await lockEvents(sql, accountId, ids);
    const family = await lockFamily(sql, accountId, ids);
    if (events.length === 0 && family.length === 0) return erased;
    erased.events.push(...events);
    erased.deliveries.push(...family);
    await eraseFilterErrors(sql, accountId, [...events, ...family.map(({ id }) => id)]);
    erased.shortened.push(...(await eraseLocked(sql, accountId, events, family)));
  }
}

/** Reads the first deliveries with the payloads, and the ids that their events have if they were sent as events. */
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

/** Locks the deliveries, the other deliveries of their events, and the resends of all, unless they are erased. */
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
    -- Like deliveryById, but locks the rows in this order.
    cross join lateral (
      select x.id, x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = f.id and x.data is distinct from ''
      limit 1 for update
    ) d
  `;
}

/** Erases the errors of filters that may quote the payloads. */
async function eraseFilterErrors(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<void> {
  await sql`
    update endpoints set filter_errors = jsonb_set(filter_errors, '{last,error}', 'null')
    where account_id = ${accountId} and filter_errors is not null
      and coalesce(filter_errors->'last'->>'eventId', filter_errors->'last'->>'deliveryId')::uuid = any(${arrayOf(ids)}::uuid[])
  `;
}

function eraseLocked(
  sql: TransactionSql,
  accountId: AccountId,
  events: readonly EventId[],
  family: Erased["deliveries"],
): Promise<QueueKey[]> {
  return sql<QueueKey[]>`
    -- The account is a column. As a parameter it would let a plan scan all rows of the account (see deliveryById).
    with family as materialized (
      select f.id, ${accountId}::uuid as account_id from unnest(${arrayOf(family.map(({ id }) => id))}::uuid[]) as f(id)
    ),
    doomed as materialized (
      select i.partition, i.endpoint_id, i.sequence
      from family f
      -- Looks rows up one by one. While statistics show an empty queue, a join would scan all pending rows of the account.
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
