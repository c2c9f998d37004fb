import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import type { Sql } from "../db/pool";
import type { EndpointId } from "../runtime/ids";

/** The counters' slot of cancellations, which nobody else writes. */
const CANCELLATION_SLOT = 9;
/** Deliveries cancelled by one statement. */
export const CHUNK_ROWS = 2_000;

export type EndpointQueue = { partition: number; endpointId: EndpointId };

/**
 * Cancels what is queued for a deleted endpoint, chunk by chunk, until nothing is left or the time (on the
 * monotonic clock) is over. True when nothing is left. Throws `DatabaseUnavailable`.
 */
export async function cancelQueue(
  db: Database,
  queue: EndpointQueue,
  isTimeOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const cancelled = await untilNoDeadlock(() => db.run((sql) => cancelChunk(sql, queue)));
    if (cancelled < CHUNK_ROWS) return true;
    if (isTimeOver()) return false;
  }
}

// A delivery that is recorded at the same moment is either gone from the queue when its lock is had, or
// the record finds it gone.
async function cancelChunk(sql: Sql, { partition, endpointId }: EndpointQueue): Promise<number> {
  const [row] = await sql<{ cancelled: number }[]>`
    with doomed as materialized (
      select partition, endpoint_id, sequence from queue
      where partition = ${partition} and endpoint_id = ${endpointId}
      order by sequence limit ${CHUNK_ROWS}
      for update
    ),
    gone as (
      delete from queue q using doomed d
      where q.partition = d.partition and q.endpoint_id = d.endpoint_id and q.sequence = d.sequence
      returning q.delivery_id, q.account_id, q.attempt_count, q.response_status
    ),
    ended as (
      insert into results
        (delivery_id, account_id, status, attempt_count, response_status, cancel_reason, completed_at)
      select delivery_id, account_id, 'cancelled', attempt_count, response_status, 'endpoint_deleted', now()
      from gone
    ),
    counted as (
      insert into counters as c (account_id, event, slot, cancelled)
      select g.account_id, coalesce(d.event, ''), ${CANCELLATION_SLOT}::smallint, count(*)
      from gone g left join deliveries d on d.id = g.delivery_id
      group by 1, 2 order by 1, 2
      on conflict (account_id, event, slot) do update set cancelled = c.cancelled + excluded.cancelled
    ),
    totalled as (
      insert into totals as t (account_id, slot, cancelled)
      select account_id, ${CANCELLATION_SLOT}::smallint, count(*) from gone group by 1
      on conflict (account_id, slot) do update set cancelled = t.cancelled + excluded.cancelled
    )
    select count(*) as cancelled from gone
  `;
  return row?.cancelled ?? 0;
}
