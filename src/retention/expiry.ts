import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/database";
import type { AnySql } from "../db/pool";
import { deliveryById } from "../db/sql/delivery-key";
import { isInQueue } from "../db/sql/queue-key";
import { bumpRevisions } from "../deliveries/cancellation";
import { type EndpointId, leastIdAt } from "../domain/ids";
import { TUNING_LIMITS } from "../domain/tuning";
import { tallyGone } from "../series/tallies";

/** An endpoint with pending deliveries. */
type Place = { partition: number; endpointId: EndpointId };

/** Endpoints that one statement looks at, and deliveries that it ends. */
type AtOnce = Readonly<{ endpoints: number; deliveries: number }>;
const AT_ONCE: AtOnce = { endpoints: 500, deliveries: 1_000 };

/** A retry that is due sooner may begin before its dispatcher hears of the end. */
const SOON = "1 minute";
/** The first deliveries of an unordered endpoint, one of which may be in flight; a few more than are allowed at once. */
const MOST_IN_FLIGHT = 2 * TUNING_LIMITS.maxInFlight.most;

const START: Place = { partition: -1, endpointId: "00000000-0000-0000-0000-000000000000" as EndpointId };

/**
 * Fails pending deliveries accepted before a time (Unix milliseconds), each endpoint's in its order. Goes from endpoint to
 * endpoint in bounded statements, and calls `rest` between them, which stops it by false. Throws `DatabaseUnavailable`.
 *
 * A delivery of an active endpoint that may be in flight stays: what its receiver answers counts. Its attempt ends it, or has it
 * wait for a retry, and then it is not in flight.
 */
export async function expirePending(
  db: Database,
  before: number,
  rest: () => Promise<boolean>,
  atOnce: AtOnce = AT_ONCE,
): Promise<number> {
  let expired = 0;
  for (let from: Place | null = START; from !== null; ) {
    const place: Place = from;
    const step = await untilNoDeadlock(() =>
      db.run((sql) => expireSome(sql, place, leastIdAt(before), atOnce)),
    );
    expired += step.expired;
    // A full statement may have left some over, so look at the same endpoints again.
    if (step.expired < atOnce.deliveries) from = step.last;
    if (from !== null && !(await rest())) break;
  }
  return expired;
}

/** `last`: the last endpoint looked at; null when none is left. */
type Step = { expired: number; last: Place | null };

// If an outcome is recorded at the same moment, either this statement finds the delivery gone, or the recorder does.
async function expireSome(
  sql: AnySql,
  { partition, endpointId }: Place,
  end: string,
  atOnce: AtOnce,
): Promise<Step> {
  const [row] = await sql<{ expired: number; places: number; partition: number; endpointId: EndpointId }[]>`
    with recursive heads as (
      (
        select q.partition, q.endpoint_id, q.delivery_id from queue q
        where (q.partition, q.endpoint_id) > (${partition}::smallint, ${endpointId}::uuid)
        order by q.partition, q.endpoint_id, q.sequence limit 1
      )
      union all
      select n.*
      from heads h
      cross join lateral (
        select q.partition, q.endpoint_id, q.delivery_id from queue q
        where (q.partition, q.endpoint_id) > (h.partition, h.endpoint_id)
        order by q.partition, q.endpoint_id, q.sequence limit 1
      ) n
    ),
    looked_at as materialized (select * from heads limit ${atOnce.endpoints}),
    doomed as materialized (
      select o.partition, o.endpoint_id, o.sequence
      from looked_at h
      left join endpoints e on e.id = h.endpoint_id and (e.is_active or e.inactive_since > now() - interval '${sql.unsafe(SOON)}')
      cross join lateral (
        select q.partition, q.endpoint_id, q.sequence, q.delivery_id,
          e.id is not null and (q.next_attempt_at is null or q.next_attempt_at <= now() + interval '${sql.unsafe(SOON)}')
            and case e.ordering
              when 'ordered' then row_number() over (order by q.sequence) = 1
              when 'by_key' then row_number() over (partition by q.ordering_key order by q.sequence) = 1
              else q.next_attempt_at is not null
                or row_number() over (partition by q.next_attempt_at is null order by q.sequence) <= ${MOST_IN_FLIGHT}
            end as may_be_in_flight
        from queue q
        where q.partition = h.partition and q.endpoint_id = h.endpoint_id
        order by q.sequence limit ${atOnce.deliveries}
      ) o
      join queue q on ${isInQueue(sql, "o")}
      where h.delivery_id < ${end} and o.delivery_id < ${end} and not o.may_be_in_flight
      order by o.partition, o.endpoint_id, o.sequence limit ${atOnce.deliveries}
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
      insert into feed_outbox (account_id, event, facts)
      select n.account_id, 'delivery.failed', json_build_object(
        'deliveryId', n.delivery_id, 'endpointId', n.endpoint_id, 'event', n.event, 'attemptCount', n.attempt_count,
        'responseStatus', n.response_status, 'error', null, 'errorDetail', null, 'failureReason', 'expired'
      )
      from named n
      where exists (select from endpoints e where e.id = n.endpoint_id and not e.feed)
        and exists (select from endpoints f where f.account_id = n.account_id and f.feed and f.deleted_at is null)
      order by n.endpoint_id, n.sequence
    ),
    ${tallyGone(sql, "expired")},
    ${bumpRevisions(sql)}
    select (select count(*) from gone)::integer as expired, l.places, l.partition, l.endpoint_id as "endpointId"
    from (
      select partition, endpoint_id, count(*) over ()::integer as places from looked_at
      order by partition desc, endpoint_id desc limit 1
    ) l
  `;
  if (!row) return { expired: 0, last: null };
  const { expired, places, ...last } = row;
  return { expired, last: places < atOnce.endpoints ? null : last };
}
