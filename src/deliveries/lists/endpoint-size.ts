import type { AnySql } from "../../db/pool";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { Ordering } from "../../domain/tuning";
import type { EndpointQueue } from "./endpoint-ids";

/** Longest queue that is read and sorted whole. A longer one is a large part of its account's pending deliveries. */
const SHORT_QUEUE = 5_000;

export type EndpointSize = {
  id: EndpointId;
  /** Estimated number of deliveries sent to it. */
  sent: number;
  /** Estimated number of its ended deliveries; an upper bound if it is unordered. */
  ended: number;
  /** Null if it is deleted and may still have pending deliveries. */
  partition: number | null;
  /** Upper bound of its pending deliveries. */
  backlog: number;
};

/** Chooses the way to read the endpoint's queue. */
export function queueOf({ id, partition, backlog }: EndpointSize): EndpointQueue {
  return { endpointId: id, shortIn: backlog > SHORT_QUEUE ? null : partition };
}

type SizeRow = { ordering: Ordering; partition: number | null; last: number | null; head: number | null };

/** Resolves to null if the account never had this endpoint. */
export async function readEndpointSize(
  sql: AnySql,
  accountId: AccountId,
  endpointId: EndpointId,
): Promise<EndpointSize | null> {
  // A deleted endpoint without a secret has no pending deliveries, so any partition serves.
  const [row] = await sql<SizeRow[]>`
    select e.ordering::text as ordering, coalesce(m.partition, case when e.signing_secret = '' then 0 end) as partition, m.last_sequence as last,
      (
        select q.sequence from queue q
        where q.partition = m.partition and q.endpoint_id = m.endpoint_id
        order by q.sequence limit 1
      ) as head
    from endpoints e left join mailboxes m on m.endpoint_id = e.id
    where e.id = ${endpointId} and e.account_id = ${accountId}
  `;
  if (!row) return null;
  const { ordering, partition, last, head } = row;
  // A deleted endpoint has no last sequence, and its history may be long.
  const sent = last ?? Number.MAX_SAFE_INTEGER;
  const backlog = head === null ? 0 : sent - head + 1;
  const ended = ordering === "ordered" ? sent - backlog : sent;
  return { id: endpointId, sent, ended, partition, backlog };
}
