import { arrayOf } from "../db/arrays";
import { COUNTER_SLOTS } from "../db/counter-slots";
import type { TransactionSql } from "../db/pool";
import { leastIdAt } from "../runtime/ids";
import type { Partition } from "./partitions";
import type { TimeRange } from "./time-range";

/** Those of some ranges, which follow one another, in which something is pending. One look at what is queued. */
export async function findPending(
  sql: TransactionSql,
  ranges: readonly TimeRange[],
): Promise<Set<TimeRange>> {
  const ends = ranges.map(({ to }) => leastIdAt(to ?? Number.POSITIVE_INFINITY));
  const last = ends.at(-1);
  if (last === undefined) return new Set();
  const rows = await sql<{ n: number }[]>`
    select distinct width_bucket(delivery_id, ${arrayOf(ends)}::uuid[]) as n
    from queue where delivery_id >= ${leastIdAt(ranges[0]?.from ?? 0)} and delivery_id < ${last}
  `;
  return new Set(rows.flatMap(({ n }) => ranges[n] ?? []));
}

/** Those that hold no delivery. */
export async function findEmpty(
  sql: TransactionSql,
  partitions: readonly Partition[],
): Promise<Set<TimeRange>> {
  if (partitions.length === 0) return new Set();
  const looks = partitions.map(
    ({ names }, i) => `select ${i} as n where not exists (select from "${names.deliveries}")`,
  );
  const rows = await sql.unsafe<{ n: number }[]>(looks.join(" union all "));
  return new Set(rows.flatMap(({ n }) => partitions[n]?.range ?? []));
}

/** Forgets when payloads were erased of what is dropped. What is older may be kept, for what is pending beside it. */
export async function forgetErasures(sql: TransactionSql, from: number, to: number): Promise<void> {
  await sql`delete from erasures where delivery_id >= ${leastIdAt(from)} and delivery_id < ${leastIdAt(to)}`;
}

/** Forgets the jobs that ended before a time, Unix milliseconds. */
export async function forgetJobs(sql: TransactionSql, before: number): Promise<void> {
  await sql`delete from jobs where completed_at < ${new Date(before)}`;
}

/** Takes what a partition holds off the counters. Nothing in it may be pending or change any more. */
export async function uncount(sql: TransactionSql, { names }: Partition): Promise<void> {
  // As a text, which is not prepared: each partition would leave a statement of its own behind.
  await sql.unsafe(`
    with gone as materialized (
      select d.account_id, coalesce(d.event, '') as event, ${COUNTER_SLOTS.retention}::smallint as slot,
        -count(*) as accepted,
        -count(*) filter (where r.status = 'delivered') as delivered,
        -count(*) filter (where r.status = 'failed') as failed,
        -count(*) filter (where r.status = 'cancelled') as cancelled
      from "${names.deliveries}" d left join "${names.results}" r
        on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
      group by 1, 2
    ),
    totalled as (
      insert into totals as t (account_id, slot, accepted, delivered, failed, cancelled)
      select account_id, slot, sum(accepted), sum(delivered), sum(failed), sum(cancelled) from gone group by 1, 2
      on conflict (account_id, slot) do update
        set accepted = t.accepted + excluded.accepted, delivered = t.delivered + excluded.delivered,
          failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled
    )
    insert into counters as c (account_id, event, slot, accepted, delivered, failed, cancelled)
    select * from gone
    on conflict (account_id, event, slot) do update
      set accepted = c.accepted + excluded.accepted, delivered = c.delivered + excluded.delivered,
        failed = c.failed + excluded.failed, cancelled = c.cancelled + excluded.cancelled
  `);
}
