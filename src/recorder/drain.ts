/** Most rows that are read to find the next delivery without an ordering key. */
const MAX_SEARCHED = 1_000;

/**
 * Returns the part of the recording statement that drains orders. If a delivery in `notable` used up its schedule, the next
 * delivery of its order waits for `retry_after` and gets a single attempt. Its failure passes that on to the next one, its
 * success ends it, so each failure writes one row. `single_attempt_to` is the last sequence given out at the first of these
 * failures; later deliveries get their whole schedule.
 */
export function drainedOrders(): string {
  return `
    drained as (
      update queue q
      set single_attempt_to = n.single_attempt_to, next_attempt_at = now() + n.retry_after * interval '1 millisecond'
      from (
        select x.partition, x.endpoint_id, x.retry_after, next.sequence,
          coalesce(x.single_attempt_to, m.last_sequence) as single_attempt_to
        from notable x
        join endpoints e on e.id = x.endpoint_id
        join mailboxes m on m.endpoint_id = x.endpoint_id
        cross join lateral (${nextOfOrder()}) next
        where x.ending is not null and x.retry_after is not null and next.sequence <= coalesce(x.single_attempt_to, m.last_sequence)
      ) n
      where q.partition = n.partition and q.endpoint_id = n.endpoint_id and q.sequence = n.sequence
    )
  `;
}

/** SQL: the next row after `x` in its order at the endpoint `e`; none if the endpoint is `unordered`. */
function nextOfOrder(): string {
  const behind = "q.partition = x.partition and q.endpoint_id = x.endpoint_id and q.sequence > x.sequence";
  return `
    (
      select q.sequence from queue q where ${behind} and e.ordering = 'ordered'
      order by q.sequence limit 1
    )
    union all
    (
      select q.sequence from queue q
      where ${behind} and e.ordering = 'by_key' and q.ordering_key = x.ordering_key
      order by q.sequence limit 1
    )
    union all
    (
      select q.sequence from (
        select q.sequence, q.ordering_key from queue q
        where ${behind} and e.ordering = 'by_key' and x.ordering_key is null
        order by q.sequence limit ${MAX_SEARCHED}
      ) q
      where q.ordering_key is null
      order by q.sequence limit 1
    )
  `;
}
