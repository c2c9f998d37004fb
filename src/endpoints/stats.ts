import type { AnySql } from "../db/pool";
import { deliveryById, isAmongAccounts } from "../db/sql/planner";
import { unixMs } from "../db/sql/time";
import { attemptsAt } from "../deliveries/attempts";
import { literal } from "../deliveries/lists/row-limit";
import { type AccountId, type EndpointId, leastIdAt } from "../domain/ids";
import type { QueueKey } from "../domain/partition";

/** Figures of one endpoint. Times are Unix milliseconds. */
export type EndpointStats = {
  /** At most `PENDING_COUNTED`, which means that number or more. */
  pending: number;
  oldestPendingAt: number | null;
  /** Numbers of deliveries that got a sequence in the last minute, hour and day. */
  accepted: { lastMinute: number; lastHour: number; lastDay: number };
  recent: RecentStats;
};

/**
 * Attempts of the last hour, of the last `RECENT_DELIVERIES` deliveries with attempts. Searches the last `MAX_SEARCHED` ended
 * deliveries, since deliveries that a filter excluded, or that were cancelled first, have no attempt.
 */
export type RecentStats = {
  deliveries: number;
  attempts: number;
  /** The start of the first of the attempts; null if there are none. */
  since: number | null;
  /** The results of these deliveries, if they ended in the last hour. */
  delivered: number;
  failed: number;
  /** Durations in milliseconds, over attempts with any result; null if there are none. */
  p50: number | null;
  p90: number | null;
  p99: number | null;
};

/** Most pending deliveries that are counted, and searched for the first one that was never attempted. */
export const PENDING_COUNTED = 10_000;
/** Number of rows with the least ids that are searched for the least sequence. */
const NEARLY_FIRST = 100;
export const RECENT_DELIVERIES = 1_000;
export const MAX_SEARCHED = 10_000;
/** Most attempts of one delivery, which a smallint numbers. */
const MOST_ATTEMPTS = 32_767;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type StatsRow = RecentStats & {
  pending: number;
  oldestPendingAt: number | null;
  lastMinute: number;
  lastHour: number;
  lastDay: number;
};

/**
 * Reads an endpoint's figures. Resolves to null if the account has no such endpoint. However long its history and backlog are,
 * reads at most `PENDING_COUNTED` rows of the queue, `MAX_SEARCHED` results, the attempts of `RECENT_DELIVERIES` deliveries,
 * and the deliveries that a filter excluded within a day.
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

// Looks up the attempts of each delivery with a limit, so that no plan can scan the table of all accounts.
function selectStats(sql: AnySql, accountId: AccountId, partition: number, id: EndpointId, now: number) {
  const acceptedWithin = (ms: number) => acceptedSince(sql, accountId, id, leastIdAt(now - ms));
  return sql<StatsRow[]>`
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
          order by r.delivery_id desc limit ${MAX_SEARCHED}
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

// Counts deliveries since a moment by the first sequence since then, because sequences have no gaps. The first delivery has
// ended, or is among the backlog's rows unless the backlog is too long. Ids are made before the commit that gives sequences, so
// ids of one moment are slightly out of order. Ended deliveries are sorted in the order of the endpoint's index: by the primary
// key, Postgres 15 would scan the results of all accounts.
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
