import type { Sql } from "../../db/pool";
import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import type { DeliverySummary } from "../delivery";
import { readSummaries } from "./summary";

export type QueueQuery = Readonly<{
  endpointId: EndpointId;
  limit: number;
  /** The last sequence of the previous page. */
  after?: number | undefined;
  orderingKey?: string | undefined;
}>;

/** Reads an endpoint's pending deliveries by sequence. Resolves to null if the account has no such endpoint. */
export async function readQueue(
  sql: Sql,
  accountId: AccountId,
  { endpointId, limit, after = 0, orderingKey }: QueueQuery,
): Promise<DeliverySummary[] | null> {
  const rows = await sql<{ id: DeliveryId | null }[]>`
    select q.delivery_id as id
    from endpoints e
    join mailboxes m on m.endpoint_id = e.id
    left join lateral (
      select q.delivery_id from queue q
      where q.partition = m.partition and q.endpoint_id = m.endpoint_id and q.sequence > ${after}
        ${orderingKey === undefined ? sql`` : sql`and q.ordering_key = ${orderingKey}`}
      order by q.sequence limit ${limit}
    ) q on true
    where e.id = ${endpointId} and e.account_id = ${accountId} and e.deleted_at is null
  `;
  if (rows.length === 0) return null;
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  const summaries = await readSummaries(sql, accountId, ids);
  return summaries.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
}
