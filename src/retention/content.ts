import type { TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { leastIdAt } from "../domain/ids";
import type { RangeTables } from "./range-tables";
import type { TimeRange } from "./time-range";

/** Returns the ranges with pending deliveries, in one scan of their queue. The ranges must be adjacent. */
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

/** Returns the ranges without events and deliveries. */
export async function findEmpty(
  sql: TransactionSql,
  ranges: readonly RangeTables[],
): Promise<Set<TimeRange>> {
  if (ranges.length === 0) return new Set();
  const looks = ranges.map(
    ({ names }, i) =>
      `select ${i} as n where not exists (select from "${names.deliveries}") and not exists (select from "${names.events}")`,
  );
  const rows = await sql.unsafe<{ n: number }[]>(looks.join(" union all "));
  return new Set(rows.flatMap(({ n }) => ranges[n]?.range ?? []));
}

/** Deletes the erasure times of at most `most` deliveries in a range. Returns how many. */
export async function forgetErasures(
  sql: TransactionSql,
  { from, to }: TimeRange,
  most: number,
): Promise<number> {
  const gone = await sql`
    delete from erasures where delivery_id = any(array(
      select delivery_id from erasures
      where delivery_id >= ${leastIdAt(from ?? 0)} and delivery_id < ${leastIdAt(to ?? Number.POSITIVE_INFINITY)}
      order by delivery_id limit ${most}
    ))`;
  return gone.count;
}

/** Deletes the jobs that ended before a time, in Unix milliseconds. */
export async function forgetJobs(sql: TransactionSql, before: number): Promise<void> {
  await sql`delete from jobs where completed_at < ${new Date(before)}`;
}
