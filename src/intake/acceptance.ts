import type { AnySql, Fragment } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { SCHEDULED } from "../domain/partition";
import type { UsageKey } from "./usage-shard";

/**
 * Selects and locks the usage rows of the accounts in `located`, in the order of their ids. Every statement that accepts locks
 * them after the mailboxes, so that commits wait for each other in one order. An account with a limit has one row, for which
 * all commits wait; the others are counted in the shard.
 */
export function lockUsage(sql: AnySql, { period, shard }: UsageKey): Fragment {
  return sql`
    select u.account_id, u.shard, p.webhooks_per_month as monthly_limit,
      case when p.webhooks_per_month is not null then u.used + (
        select coalesce(sum(o.used), 0) from usage o
        where o.account_id = u.account_id and o.period = u.period and o.shard <> u.shard
      ) end as used
    from usage u
    join accounts a on a.id = u.account_id
    join plans p on p.name = a.plan
    where u.account_id in (select account_id from located) and u.period = ${period}::date
      and u.shard = case when p.webhooks_per_month is null then ${shard}::smallint else 0 end
    order by u.account_id
    for update of u
  `;
}

export type Consequences = {
  /** The payload of a row. */
  data: Fragment;
  /** Further columns that `accepted` and `deliveries` share, with a leading comma. */
  extra?: Fragment;
  /** When a row is due. Null, the default, means at once. */
  due?: Fragment;
};

/**
 * Writes all that follows from the rows of `accepted`, as steps of the same statement: the mailboxes' last sequences, the
 * month's usage, the deliveries, the queue, the counters.
 */
export function consequences(
  sql: AnySql,
  usageKey: UsageKey,
  { data, extra = sql``, due = sql`null::timestamptz` }: Consequences,
): Fragment {
  return sql`
    numbered as (
      update mailboxes m set last_sequence = a.last from (
        select endpoint_id, max(sequence) as last from accepted where sequence is not null group by endpoint_id
      ) a
      where m.endpoint_id = a.endpoint_id
    ),
    used as (
      update usage u set used = u.used + a.count from (
        select account_id, count(*) from accepted group by account_id
      ) a
      join usage_rows m on m.account_id = a.account_id
      where u.account_id = a.account_id and u.period = ${usageKey.period}::date and u.shard = m.shard
    ),
    stored as (
      insert into deliveries (id, account_id, endpoint_id, sequence, event, ordering_key, due_at, data ${extra})
      select id, account_id, endpoint_id, sequence, event, ordering_key, ${due}, ${data} ${extra} from accepted
    ),
    queued as (
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, ordering_key, next_attempt_at)
      -- A routed row without a sequence is scheduled.
      select case when sequence is null then ${SCHEDULED}::smallint else partition end, endpoint_id,
        coalesce(sequence, nextval('scheduled_number')), id, account_id, ordering_key, ${due}
      from accepted where routed
    ),
    excluded_by_filter as (
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, end_reason, completed_at)
      select id, account_id, endpoint_id, 'cancelled', 0, 'event_filter', now() from accepted where not routed
    ),
    counted as (
      insert into counter_deltas (account_id, event, accepted, cancelled)
      select account_id, coalesce(event, ''), count(*), count(*) filter (where not routed) from accepted group by 1, 2
    )
  `;
}

/**
 * Reads the payload of row `n` from the parameter only where it is stored. In the rows, Postgres would copy it from step to step:
 * with payloads of 66 KB a tenth of a small statement's time, and a quarter where the copies spill to files.
 */
export function payloadsOf(sql: AnySql, items: readonly { data: string }[]): Fragment {
  return sql`(${arrayOf(items.map((each) => each.data))}::text[])[n::integer]`;
}
