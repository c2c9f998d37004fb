import { deliveryById } from "../db/delivery-key";
import type { AnySql } from "../db/pool";
import { isAmongAccounts, type QueueKey } from "../db/queue-key";
import { unixMs } from "../db/unix-ms";
import { attemptsAt } from "../deliveries/attempts";
import { literal } from "../deliveries/lists/row-limit";
import { type AccountId, type EndpointId, leastIdAt } from "../runtime/ids";

/** Figures of one endpoint. Times are Unix milliseconds. */
export type EndpointStats = {
  /** Up to `PENDING_COUNTED`, which stands for that many or more. */
  pending: number;
  oldestPendingAt: number | null;
  /** Deliveries that took a place in the endpoint's order lately. */
  accepted: { lastMinute: number; lastHour: number; lastDay: number };
  recent: RecentStats;
};

/**
 * The attempts of the last hour at the last deliveries that were attempted, `RECENT_DELIVERIES` at most, among the last
 * `LOOKED_THROUGH` that have ended: what a filter excludes, or was cancelled before, is not attempted.
 */
export type RecentStats = {
  deliveries: number;
  attempts: number;
  /** The first of the attempts; null without one. */
  since: number | null;
  /** How those of them ended that did so in the last hour. */
  delivered: number;
  failed: number;
  /** Milliseconds, of attempts of every outcome; null without one. */
  p50: number | null;
  p90: number | null;
  p99: number | null;
};

/** Pending deliveries that are counted, and looked through for the first that was never attempted. */
export const PENDING_COUNTED = 10_000;
/** How many of those with the least identifiers are looked through for the least sequence. */
const NEARLY_FIRST = 100;
export const RECENT_DELIVERIES = 1_000;
export const LOOKED_THROUGH = 10_000;
/** At one delivery: they are numbered by a smallint. */
const MOST_ATTEMPTS = 32_767;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Row = RecentStats & {
  pending: number;
  oldestPendingAt: number | null;
  lastMinute: number;
  lastHour: number;
  lastDay: number;
};

/**
 * Null when the account has no such endpoint. However long the history and the backlog are, this reads no more
 * than `PENDING_COUNTED` rows of the queue, `LOOKED_THROUGH` results and the attempts of `RECENT_DELIVERIES` deliveries, and
 * what a filter has excluded within the day.
 */
export async function readEndpointStats(
  sql: AnySql,
  accountId: AccountId,
  { partition, endpointId }: QueueKey,
  now: number,
): Promise<EndpointStats | null> {
  const [row] = await selectStats(sql, accountId, partition, endpointId, now);
  if (!row) return null;
  const { pending, oldestPendingAt, lastMinute, lastHour, lastDay, ...recent } = row;
  return { pending, oldestPendingAt, accepted: { lastMinute, lastHour, lastDay }, recent };
}

// The attempts at each delivery are looked up with a limit, so that no plan can turn it into a reading of everybody's.
function selectStats(sql: AnySql, accountId: AccountId, partition: number, id: EndpointId, now: number) {
  const acceptedWithin = (ms: number) => acceptedSince(sql, accountId, id, leastIdAt(now - ms));
  return sql<Row[]>`
    with backlog as materialized (
      select q.sequence, q.delivery_id, q.next_attempt_at from queue q
      where q.partition = ${partition} and q.endpoint_id = ${id}
      order by q.sequence limit ${PENDING_COUNTED}
    ),
    recent as materialized (
      (
        select r.delivery_id as id, r.status, r.completed_at
        from (
          select r.delivery_id, r.status, r.completed_at, r.attempt_count from results r
          where r.endpoint_id = ${id}
          order by r.delivery_id desc limit ${LOOKED_THROUGH}
        ) r
        where r.attempt_count > 0
        order by r.delivery_id desc limit ${RECENT_DELIVERIES}
      )
      union all
      (select b.delivery_id, null, null from backlog b where b.next_attempt_at is not null)
      order by id desc limit ${RECENT_DELIVERIES}
    ),
    tried as materialized (
      select a.* from recent r
      cross join lateral (
        select a.delivery_id, a.started_at, a.duration_ms from ${attemptsAt(sql, sql`r.id`, sql`${id}`)} a
        where a.started_at > now() - interval '1 hour'
        limit ${literal(sql, MOST_ATTEMPTS)}
      ) a
    ),
    ended as (
      select count(*) filter (where status = 'delivered') as delivered,
        count(*) filter (where status = 'failed') as failed
      from recent where completed_at > now() - interval '1 hour'
    ),
    latency as (
      select count(*) as attempts, count(distinct delivery_id) as deliveries,
        ${unixMs(sql, "min(started_at)")} as since,
        percentile_disc(0.5) within group (order by duration_ms) as p50,
        percentile_disc(0.9) within group (order by duration_ms) as p90,
        percentile_disc(0.99) within group (order by duration_ms) as p99
      from tried
    )
    select l.*, n.*,
      (select count(*) from backlog) as pending,
      (
        select (('x' || translate(left(b.delivery_id::text, 13), '-', ''))::bit(48)::bigint)::float8
        from backlog b order by b.sequence limit 1
      ) as "oldestPendingAt",
      ${acceptedWithin(MINUTE_MS)} as "lastMinute",
      ${acceptedWithin(HOUR_MS)} as "lastHour",
      ${acceptedWithin(DAY_MS)} as "lastDay"
    from endpoints e join mailboxes m on m.endpoint_id = e.id, latency l, ended n
    where e.id = ${id} and e.account_id = ${accountId} and e.deleted_at is null
  `;
}

// Sequences have no gaps, so the first one since a moment tells how many there were: that has ended, or is pending, and is
// then in the backlog unless that is too long to be all there. Identifiers are made before the commit that numbers, so those
// of one moment are a little out of order. The order of what has ended is one that only the endpoint's index has: by the
// primary key, Postgres 15 went over everybody's results.
function acceptedSince(sql: AnySql, accountId: AccountId, id: EndpointId, least: string) {
  return sql`
    coalesce((
      select m.last_sequence - min(d.sequence) + 1
      from (
        (
          select r.delivery_id as id from results r
          where r.endpoint_id = any(array[${id}::uuid]) and r.delivery_id >= ${least}
            and r.end_reason is distinct from 'event_filter'
          order by r.endpoint_id, r.delivery_id limit ${NEARLY_FIRST}
        )
        union all
        (select b.delivery_id from backlog b where b.delivery_id >= ${least} order by b.delivery_id limit ${NEARLY_FIRST})
        union all
        (
          select q.delivery_id from queue q
          where (select count(*) from backlog) = ${PENDING_COUNTED}
            and ${isAmongAccounts(sql, accountId, id)} and q.delivery_id >= ${least}
          order by q.delivery_id limit ${NEARLY_FIRST}
        )
      ) as first
      cross join lateral ${deliveryById(sql, accountId, sql`first.id`)} d
    ), 0)
  `;
}
