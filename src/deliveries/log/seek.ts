import type { Fragment, Sql } from "../../db/pool";
import { deliveryById } from "../../db/sql/planner";
import type { AccountId, EndpointId } from "../../domain/ids";

/** The times between which the ids of some numbers lie, Unix milliseconds; but for commits at the same time. */
export type NumbersTime = { first: number; last: number };

/** All times. */
export const ALL_TIME: NumbersTime = { first: 0, last: Number.POSITIVE_INFINITY };

export type NumberRange = Readonly<{
  accountId: AccountId;
  endpointId: EndpointId;
  from: number;
  to: number;
}>;

/** SQL: the time in an id, Unix milliseconds. */
const timeSql = (id: string) => `('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`;
/** SQL: the least id of a time. */
const leastIdSql = (ms: string) => `(lpad(to_hex(${ms}), 12, '0') || repeat('0', 20))::uuid`;

/**
 * Finds when the ids of an endpoint's ended deliveries with these numbers were made. Numbers have the order of ids, but for
 * commits at the same time, and for deliveries that were numbered later, which it leaves out. So it searches the endpoint's index
 * of ids by halving, in about 30 look-ups, and no index has the numbers. Resolves to null if nothing has ended.
 */
export async function seekNumbers(
  sql: Sql,
  { accountId, endpointId, from, to }: NumberRange,
): Promise<NumbersTime | null> {
  const firstFrom = (time: string): Fragment => sql`(
    select r.delivery_id, d.sequence from results r
    cross join lateral ${deliveryById(sql, accountId, sql`r.delivery_id`)} d
    where r.endpoint_id = ${endpointId} and r.delivery_id >= ${sql.unsafe(leastIdSql(time))}
      and d.sequence is not null and d.is_numbered_later is null
    order by r.delivery_id limit 1
  )`;
  // `next` is the time of the first id behind the numbers: one of them may come right behind it, however long nothing came before.
  const rows = await sql<{ time: number; next: number }[]>`
    with recursive bounds as materialized (
      select
        (select ${sql.unsafe(timeSql("r.delivery_id"))} from results r
          where r.endpoint_id = ${endpointId} order by r.delivery_id limit 1) as first,
        (select ${sql.unsafe(timeSql("r.delivery_id"))} from results r
          where r.endpoint_id = ${endpointId} order by r.delivery_id desc limit 1) as last
    ),
    search as (
      select t.target, b.first as least, b.last + 1 as most
      from bounds b, unnest(array[${from}::bigint, ${to}::bigint + 1]) as t(target)
      where b.first is not null
      union all
      select s.target, case when p.sequence < s.target then h.middle + 1 else s.least end,
        case when p.sequence < s.target then s.most else h.middle end
      from search s
      cross join lateral (select (s.least + s.most) / 2 as middle) h
      left join lateral ${firstFrom("h.middle")} p on true
      where s.least < s.most
    )
    select s.least::float8 as time, coalesce(${sql.unsafe(timeSql("n.delivery_id"))}, s.least)::float8 as next
    from search s left join lateral ${firstFrom("s.least")} n on true
    where s.least >= s.most order by s.target
  `;
  const [first, last] = rows;
  return first && last ? { first: first.time, last: last.next } : null;
}
