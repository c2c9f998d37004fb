import { arrayOf } from "../db/arrays";
import type { Sql } from "../db/pool";
import type { EndpointId } from "../runtime/ids";

/** An endpoint with work. */
export type Head = {
  partition: number;
  endpointId: EndpointId;
  /** The last sequence given out, if the endpoint asks for no order. */
  lastSequence: number | null;
};

/**
 * The endpoints of some partitions that have work: their first pending delivery is due within `aheadMs`, or they ask
 * for no order and anything is pending; and they are active. Goes from endpoint to endpoint over the queue's primary key, so its cost follows the number
 * of endpoints with work and not the length of their backlogs.
 */
export function findHeads(sql: Sql, partitions: readonly number[], aheadMs: number): Promise<Head[]> {
  return sql<Head[]>`
    select p.partition, h.endpoint_id as "endpointId", case when e.ordering = 'unordered' then
      (select m.last_sequence from mailboxes m where m.endpoint_id = h.endpoint_id) end as "lastSequence"
    from unnest(${arrayOf(partitions)}::smallint[]) as p(partition)
    cross join lateral (
      with recursive heads as (
        (
          select q.endpoint_id, q.next_attempt_at from queue q
          where q.partition = p.partition
          order by q.endpoint_id, q.sequence limit 1
        )
        union all
        select n.endpoint_id, n.next_attempt_at
        from heads h
        cross join lateral (
          select q.endpoint_id, q.next_attempt_at from queue q
          where q.partition = p.partition and q.endpoint_id > h.endpoint_id
          order by q.endpoint_id, q.sequence limit 1
        ) n
      )
      select * from heads
    ) h
    join endpoints e on e.id = h.endpoint_id
    where (e.ordering = 'unordered' or h.next_attempt_at is null or h.next_attempt_at <= now() + ${aheadMs} * interval '1 millisecond')
      and e.is_active and e.deleted_at is null
  `;
}
