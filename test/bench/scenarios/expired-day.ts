import type postgres from "postgres";
import { boundsOf, nameOf } from "../../../src/retention/time-range";
import { DAY_MS } from "./own-database";

/** Rows written by one statement. */
const PART = 1_000_000;

/**
 * Replaces a day's time ranges by a day of delivered deliveries, one per millisecond. Fills tables without indexes, which
 * Postgres builds once when they join `deliveries` and `results`: a quarter of the time.
 */
export async function fillDay(sql: postgres.Sql, startsAt: number, count: number): Promise<void> {
  await sql.unsafe("create table day_deliveries (like deliveries including defaults)");
  await sql.unsafe("create table day_results (like results including defaults)");
  for (let first = 0; first < count; first += PART) {
    await sql.unsafe(INSERT, [startsAt, first, Math.min(first + PART, count) - 1]);
  }
  const range = { from: startsAt, to: startsAt + DAY_MS };
  for (const table of ["deliveries", "results"]) {
    const name = `${table}_${nameOf(range)}`;
    await sql.unsafe(`alter table ${table} detach partition ${name}`);
    await sql.unsafe(`drop table ${name}`);
    await sql.unsafe(`alter table day_${table} rename to ${name}`);
    await sql.unsafe(`alter table ${table} attach partition ${name} ${boundsOf(range)}`);
    await sql.unsafe(`vacuum analyze ${name}`);
  }
  await sql.unsafe(COUNTS, [count]);
}

// Identifiers as the service makes them (UUIDv7). Both tables get the same rows, since the id follows from the number.
const INSERT = `
  with targets as (
    select array_agg(id order by id) as ids, count(*) as count, (array_agg(account_id))[1] as account
    from endpoints
  ),
  day as materialized (
    select t.account, t.ids[1 + n % t.count] as endpoint, 1 + n / t.count as sequence, 'order.' || n % 20 as event,
      (lpad(to_hex($1::bigint + n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid as id
    from generate_series($2::bigint, $3::bigint) n, targets t
  ),
  stored as (
    insert into day_deliveries (id, account_id, endpoint_id, sequence, event, data)
    select id, account, endpoint, sequence, event, '{"order":1}' from day
  )
  insert into day_results
    (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms)
  select id, account, endpoint, 'delivered', 1, 200, now(), 12 from day
`;

const COUNTS = `
  with target as (select (array_agg(account_id))[1] as account from endpoints),
  totalled as (
    insert into totals as t (account_id, accepted, delivered) select account, $1::bigint, $1::bigint from target
    on conflict (account_id) do update set accepted = t.accepted + excluded.accepted,
      delivered = t.delivered + excluded.delivered
  )
  insert into counters as c (account_id, event, accepted, delivered)
  select account, 'order.' || n, $1::bigint / 20, $1::bigint / 20 from target, generate_series(0, 19) n
  on conflict (account_id, event) do update set accepted = c.accepted + excluded.accepted,
    delivered = c.delivered + excluded.delivered
`;
