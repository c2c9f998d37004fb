import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { deliveryById, isInQueue } from "../db/sql/planner";
import { tallyGone } from "../db/sql/tallies";
import { bumpRevisions } from "../deliveries/cancellation";
import { SETTINGS } from "../domain/endpoint-settings";
import { leastIdAt } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import { type HeadsStep, headsBehind, LAST_HEAD, walkQueues } from "./queue-heads";

/** Most endpoints that one statement reads, and most deliveries that it ends. */
type ExpiryBatch = Readonly<{ endpoints: number; deliveries: number }>;
const BATCH: ExpiryBatch = { endpoints: 500, deliveries: 1_000 };

/** A retry that is due sooner may begin before its dispatcher learns that the delivery has ended. */
const SOON = "1 minute";
/** Any of this many first deliveries of an unordered endpoint may be in flight: twice the largest `max_in_flight`. */
const MOST_IN_FLIGHT = 2 * SETTINGS.max_in_flight.most;

/**
 * Fails pending deliveries that were accepted before a time (Unix milliseconds), in the order of each endpoint and in bounded
 * statements; see `walkQueues`. Returns the number of deliveries.
 *
 * Leaves a delivery that may be in flight to an active endpoint, because its receiver's answer decides. Its attempt either ends
 * it or makes it wait for a retry; then it is not in flight, and a later call fails it.
 */
export function expirePending(
  db: Database,
  before: number,
  rest: () => Promise<boolean>,
  batch: ExpiryBatch = BATCH,
): Promise<number> {
  return walkQueues(db, (sql, from) => expireSome(sql, from, leastIdAt(before), batch), rest);
}

// Safe beside the recorder: if both end a delivery at the same moment, one of them finds it gone.
async function expireSome(sql: AnySql, from: QueueKey, end: string, batch: ExpiryBatch): Promise<HeadsStep> {
  const [row] = await sql<({ expired: number; heads: number } & QueueKey)[]>`
    with recursive ${headsBehind(sql, from)},
    examined as materialized (select * from heads limit ${batch.endpoints}),
    doomed as materialized (
      select o.partition, o.endpoint_id, o.sequence
      from examined h
      left join endpoints e on e.id = h.endpoint_id and (e.is_active or e.inactive_since > now() - interval '${sql.unsafe(SOON)}')
      cross join lateral (
        select q.partition, q.endpoint_id, q.sequence, q.delivery_id,
          e.id is not null and (q.next_attempt_at is null or q.next_attempt_at <= now() + interval '${sql.unsafe(SOON)}')
            and case e.ordering
              when 'ordered' then row_number() over (order by q.sequence) <= e.batch_size
              when 'by_key' then row_number() over (partition by q.ordering_key order by q.sequence) <= e.batch_size
              else q.next_attempt_at is not null
                or row_number() over (partition by q.next_attempt_at is null order by q.sequence) <= ${MOST_IN_FLIGHT}
            end as may_be_in_flight
        from queue q
        where q.partition = h.partition and q.endpoint_id = h.endpoint_id
        order by q.sequence limit ${batch.deliveries}
      ) o
      join queue q on ${isInQueue(sql, "o")}
      where h.delivery_id < ${end} and o.delivery_id < ${end} and not o.may_be_in_flight
      order by o.partition, o.endpoint_id, o.sequence limit ${batch.deliveries}
      for update of q
    ),
    gone as (
      delete from queue q using doomed d
      where ${isInQueue(sql, "d")}
      returning q.partition, q.endpoint_id, q.sequence, q.delivery_id, q.account_id, q.attempt_count, q.response_status
    ),
    ended as (
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, end_reason, completed_at)
      select delivery_id, account_id, endpoint_id, 'failed', attempt_count, response_status, 'expired', now() from gone
    ),
    named as materialized (
      select g.*, d.event
      from gone g left join lateral ${deliveryById(sql, sql`g.account_id`, sql`g.delivery_id`)} d on true
    ),
    counted as (
      insert into counter_deltas (account_id, event, failed)
      select account_id, coalesce(event, ''), count(*) from named group by 1, 2
    ),
    reported as (
      insert into feed_outbox (account_id, about, event, facts)
      select h.hearer, n.account_id, 'delivery.failed', json_build_object(
        'deliveryId', n.delivery_id, 'endpointId', n.endpoint_id, 'event', n.event, 'attemptCount', n.attempt_count,
        'responseStatus', n.response_status, 'error', null, 'errorDetail', null, 'failureReason', 'expired'
      )
      from named n cross join lateral feed_hearers(n.account_id) as h(hearer)
      where exists (select from endpoints e where e.id = n.endpoint_id and not e.feed)
      order by n.endpoint_id, n.sequence
    ),
    ${tallyGone(sql, "expired")},
    ${bumpRevisions(sql)}
    select (select count(*) from gone)::integer as expired, l.* from ${sql.unsafe(LAST_HEAD)} l
  `;
  if (!row) return { done: 0, next: null };
  const { expired, heads, ...last } = row;
  // A full statement may have left deliveries of these endpoints, so read the same endpoints again.
  if (expired >= batch.deliveries) return { done: expired, next: from };
  return { done: expired, next: heads < batch.endpoints ? null : last };
}
