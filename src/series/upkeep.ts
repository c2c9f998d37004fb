import type { TransactionSql } from "../db/pool";

/** Rows of a minute are summed into rows of an hour after this time. */
export const MINUTES_KEPT_MS = 48 * 3_600_000;
/** Age up to which rows of minutes are searched. If all processes stopped for longer, older rows of minutes stay. */
const SEARCHED_AGE = "48 hours";
/** Most rows that one statement deletes. */
const MAX_DELETED = 20_000;

/** Sums the minutes of one old hour. Resolves to false if no hour is left to sum. */
export async function rollHour(sql: TransactionSql, now: number): Promise<boolean> {
  const [row] = await sql<{ rolled: number }[]>`
    with due as materialized (
      select date_trunc('hour', min(at)) as hour from series
      where at < date_trunc('hour', to_timestamp(${now - MINUTES_KEPT_MS}::float8 / 1000))
        and at >= to_timestamp(${now - MINUTES_KEPT_MS}::float8 / 1000) - ${SEARCHED_AGE}::interval
        and at <> date_trunc('hour', at)
    ),
    gone as (
      delete from series s using due where s.at >= due.hour and s.at < due.hour + interval '1 hour'
      returning s.subject, due.hour, s.codes, s.counts
    ),
    written as (
      insert into series (subject, at, codes, counts)
      select subject, hour, array_agg(code), array_agg(n)
      from (
        select g.subject, g.hour, u.code, sum(u.n)::integer as n
        from gone g cross join lateral unnest(g.codes, g.counts) as u(code, n)
        group by 1, 2, 3
      ) x
      group by 1, 2
    )
    select count(*)::integer as rolled from gone
  `;
  return (row?.rolled ?? 0) > 0;
}

/** Deletes rows older than the retention. Resolves to false if none is left. */
export async function forgetSeries(sql: TransactionSql, before: number): Promise<boolean> {
  const deleted = await sql`
    delete from series where (subject, at) in (
      select subject, at from series where at < to_timestamp(${before}::float8 / 1000) limit ${MAX_DELETED}
    )
  `;
  return deleted.count > 0;
}
