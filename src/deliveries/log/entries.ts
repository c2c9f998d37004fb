import type { Fragment, Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { payloadOf } from "../../db/sql/event-key";
import { deliveryById } from "../../db/sql/planner";
import { unixMs } from "../../db/sql/time";
import type { DeliveryStatus, EndReason } from "../../domain/delivery-status";
import { type AccountId, type DeliveryId, leastIdAt } from "../../domain/ids";
import type { NumberRange, NumbersTime } from "./seek";

/** An ended delivery with its number. */
export type NumberedDelivery = {
  sequence: number;
  id: DeliveryId;
  event: string | null;
  orderingKey: string | null;
  eventExternalId: string | null;
  replayOf: DeliveryId | null;
  status: Exclude<DeliveryStatus, "pending">;
  endReason: EndReason | null;
  /** Unix milliseconds. */
  completedAt: number;
  /** The bytes of the payload; 0 once it is erased. */
  size: number;
};

/**
 * Most results that one look into a stretch of time reads. Beyond it, numbers count as removed whose ids were made far from their
 * neighbours' by a clock that was wrong.
 */
export const MOST_READ = 100_000;

/** Reads the numbers of a range whose ids lie in a stretch of time, and those that were numbered later. Not in order. */
export function selectNumbered(
  sql: Sql,
  { accountId, endpointId, from, to }: NumberRange,
  { first, last }: NumbersTime,
): Promise<NumberedDelivery[]> {
  const inRange = sql`d.sequence between ${from} and ${to}`;
  return sql<NumberedDelivery[]>`
    select ${columns(sql)}
    from (
      select * from results x
      where x.endpoint_id = ${endpointId} and x.delivery_id >= ${leastIdAt(first)} and x.delivery_id < ${leastIdAt(last)}
      order by x.delivery_id limit ${MOST_READ}
    ) r
    cross join lateral ${deliveryById(sql, accountId, sql`r.delivery_id`)} d
    where ${inRange} and d.is_numbered_later is null
    union all
    select ${columns(sql)}
    from deliveries d join results r on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
    where d.endpoint_id = ${endpointId} and d.is_numbered_later and ${inRange}
  `;
}

function columns(sql: Sql): Fragment {
  return sql`
    d.sequence, d.id, d.event, d.ordering_key as "orderingKey", d.event_external_id as "eventExternalId",
    d.replay_of as "replayOf", r.status, r.end_reason as "endReason", ${unixMs(sql, "r.completed_at")} as "completedAt",
    coalesce(octet_length(${payloadOf(sql, "d")}), 0) as size
  `;
}

/** Returns the least number that the endpoint's oldest results have; null if it has none. */
export async function leastKept(
  sql: Sql,
  { accountId, endpointId }: Pick<NumberRange, "accountId" | "endpointId">,
): Promise<number | null> {
  const [row] = await sql<{ least: number | null }[]>`
    select least(
      (select min(d.sequence) from (
        select x.delivery_id from results x where x.endpoint_id = ${endpointId} order by x.delivery_id limit 1000
      ) r cross join lateral ${deliveryById(sql, accountId, sql`r.delivery_id`)} d where d.is_numbered_later is null),
      (select min(d.sequence) from deliveries d where d.endpoint_id = ${endpointId} and d.is_numbered_later)
    )::float8 as least
  `;
  return row?.least ?? null;
}

/** Reads payloads, byte for byte as they were sent. Omits erased ones. */
export async function readPayloads(
  sql: Sql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<Map<DeliveryId, string>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<{ id: DeliveryId; data: string }[]>`
    select d.id, p.data
    from unnest(${arrayOf(ids)}::uuid[]) as i(id)
    cross join lateral ${deliveryById(sql, accountId, sql`i.id`)} d
    cross join lateral (select ${payloadOf(sql, "d")} as data) p
    where p.data is not null
  `;
  return new Map(rows.map(({ id, data }) => [id, data]));
}
