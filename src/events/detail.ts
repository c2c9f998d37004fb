import type { PageRequest } from "../db/page";
import type { Sql } from "../db/pool";
import { filterMatchesSql } from "../db/sql/event-filter";
import { lastIdOf } from "../db/sql/event-key";
import { unixMs } from "../db/sql/time";
import type { DeliverySummary } from "../deliveries/delivery";
import { BEFORE_ALL_IDS } from "../deliveries/lists/cursor";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "../deliveries/lists/summary";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { EventDetail, Missed } from "./event";
import { eventColumns } from "./list";

/** Reads an event. Resolves to null if the account has no event with this id. */
export async function readEvent(sql: Sql, accountId: AccountId, id: EventId): Promise<EventDetail | null> {
  const [row] = await sql<EventDetail[]>`
    select ${eventColumns(sql)}, nullif(i.data, '') as data,
      (select ${unixMs(sql, "e.erased_at")} from erasures e where e.delivery_id = i.id) as "erasedAt"
    from events i where i.account_id = ${accountId} and i.id = ${id}
  `;
  return row ?? null;
}

/** Reads a page of an event's deliveries, in the order of their ids, which is the order of their endpoints' age. */
export async function readDeliveriesOf(
  sql: Sql,
  accountId: AccountId,
  id: EventId,
  { limit, beyond }: PageRequest<DeliveryId>,
): Promise<DeliverySummary[]> {
  const rows = await sql<SummaryRow[]>`
    with chosen as materialized (
      select d.* from deliveries d
      where d.account_id = ${accountId} and d.id > ${beyond ?? id} and d.id <= ${lastIdOf(id)}
      order by d.id limit ${limit}
    )
    select ${summaryColumns(sql)} from chosen d ${summaryJoins(sql)} order by d.id
  `;
  return rows.map(toSummary);
}

/**
 * Reads a page of the endpoints without a delivery of an event, oldest first, each with the reason. Builds the set of
 * endpoints with a delivery once. With a look-up for each, 10,000 endpoints would read 10,000 deliveries each.
 */
export function readMissed(
  sql: Sql,
  accountId: AccountId,
  id: EventId,
  { limit, beyond }: PageRequest<EndpointId>,
): Promise<Missed[]> {
  return sql<Missed[]>`
    select e.id as "endpointId", case
        when e.id = any(i.inactive) then 'inactive'
        when e.id = any(i.refused_by) then 'filter'
        when not ${sql.unsafe(filterMatchesSql)} then 'event_filter'
        when e.id > i.id then 'created_later'
        else 'filter_changed'
      end as reason, case when e.id = any(i.refused_by) then e.filter end as filter, e.metadata
    from events i
    join endpoints e on e.account_id = i.account_id
    where i.account_id = ${accountId} and i.id = ${id} and e.deleted_at is null and not e.feed
      and e.id > ${beyond ?? BEFORE_ALL_IDS}
      and e.id not in (
        select d.endpoint_id from deliveries d
        where d.account_id = ${accountId} and d.id > ${id} and d.id <= ${lastIdOf(id)}
      )
    order by e.id limit ${limit}
  `;
}
