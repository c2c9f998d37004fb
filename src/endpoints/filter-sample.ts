import type { AnySql } from "../db/pool";
import { deliveryById } from "../db/sql/delivery-key";
import { idsOfEndpoint } from "../deliveries/lists/endpoint-ids";
import { queueOf, readEndpointSize } from "../deliveries/lists/endpoint-size";
import { within } from "../deliveries/lists/id-range";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, leastIdAt } from "../domain/ids";

/** Most kept events and webhooks that a test of a filter looks at. */
export const MAX_SAMPLE = 100;
/** Most bytes of their payloads, as Postgres stores them. */
const MAX_SAMPLE_BYTES = 4_194_304;

/** A kept payload: an event of the account, or a webhook that was sent to the endpoint alone. */
export type Sampled = Readonly<{ event: string | null; data: string }> &
  (Readonly<{ kind: "evt"; id: EventId }> | Readonly<{ kind: "wh"; id: DeliveryId }>);

export type SampleRange = Readonly<{ createdFrom?: number | undefined; createdBefore?: number | undefined }>;

/** Reads the newest kept payloads that could have gone to an endpoint, without erased ones. */
export async function readSample(
  sql: AnySql,
  accountId: AccountId,
  endpointId: EndpointId,
  { createdFrom, createdBefore }: SampleRange,
): Promise<Sampled[]> {
  const range = {
    from: createdFrom === undefined ? undefined : leastIdAt(createdFrom),
    before: createdBefore === undefined ? undefined : leastIdAt(createdBefore),
  };
  const size = await readEndpointSize(sql, accountId, endpointId);
  const queue = size ? queueOf(size) : { endpointId, shortIn: null };
  const ids = idsOfEndpoint(sql, accountId, queue, range, { order: "newest", rows: MAX_SAMPLE });
  return sql<Sampled[]>`
    select kind, id, event, data from (
      select *, sum(pg_column_size(data)) over (order by id desc) as bytes from (
        (
          select 'evt' as kind, i.id, i.event, i.data from events i
          where i.account_id = ${accountId} ${within(sql, range, "i.id")} and i.data <> ''
          order by i.id desc limit ${MAX_SAMPLE}
        )
        union all
        (
          select 'wh', d.id, d.event, d.data
          from (${ids} order by id desc limit ${MAX_SAMPLE}) c
          cross join lateral ${deliveryById(sql, accountId, sql`c.id`)} d
          where d.data <> ''
        )
        order by id desc limit ${MAX_SAMPLE}
      ) newest
    ) s
    where bytes <= ${MAX_SAMPLE_BYTES}
    order by id desc
  `;
}
