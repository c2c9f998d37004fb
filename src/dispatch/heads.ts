import type { AnySql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { intervalOf } from "../db/sql/time";
import type { QueueKey } from "../domain/partition";
import { MAX_RETRY_AFTER_MS } from "../domain/retry-policy";

/** An endpoint with work, and the last sequence that it was given. */
export type Head = QueueKey & {
  /** The last sequence given out. With it, a busy actor finds deliveries whose hints were lost. */
  lastSequence: number;
};

/**
 * Finds the endpoints of some partitions that have work. An endpoint has work if its first pending delivery is due within
 * `aheadMs`, or waits for longer than `longestWaitMs` (see `longestWait`), or if it is not `ordered` and anything is pending.
 * It must be active, and must not rest for longer than `aheadMs`.
 *
 * Walks the queue's primary key from endpoint to endpoint, and looks an endpoint up once it is known to have work. So the
 * cost follows the number of endpoints with work, not the backlogs or the number of all endpoints. With an ordinary join
 * Postgres scanned the queue once for every endpoint (measured: 550 ms with 1,000 endpoints, 200 of them with work).
 */
export function findHeads(
  sql: AnySql,
  partitions: readonly number[],
  { aheadMs, longestWaitMs }: { aheadMs: number; longestWaitMs: number },
): Promise<Head[]> {
  return sql<Head[]>`
    with recursive heads as (
      select h.*
      from unnest(${arrayOf(partitions)}::smallint[]) as p(partition)
      cross join lateral (
        select q.partition, q.endpoint_id, q.next_attempt_at from queue q
        where q.partition = p.partition
        order by q.endpoint_id, q.sequence limit 1
      ) h
      union all
      select n.*
      from heads h
      cross join lateral (
        select q.partition, q.endpoint_id, q.next_attempt_at from queue q
        where q.partition = h.partition and q.endpoint_id > h.endpoint_id
        order by q.endpoint_id, q.sequence limit 1
      ) n
    )
    select h.partition, h.endpoint_id as "endpointId",
      coalesce((select m.last_sequence from mailboxes m where m.endpoint_id = h.endpoint_id), 0) as "lastSequence"
    from heads h
    cross join lateral (
      select e.ordering, e.rests_until from endpoints e
      where e.id = h.endpoint_id and e.is_active and e.deleted_at is null
      limit 1
    ) e
    where (e.ordering <> 'ordered' or h.next_attempt_at is null
      or h.next_attempt_at <= now() + ${intervalOf(sql, aheadMs)} or h.next_attempt_at > now() + ${intervalOf(sql, longestWaitMs)})
      and (e.rests_until is null or e.rests_until <= now() + ${intervalOf(sql, aheadMs)}
        or e.rests_until > now() + ${intervalOf(sql, MAX_RETRY_AFTER_MS)})
  `;
}
