import type postgres from "postgres";
import { DAY_MS, PAST_DAYS } from "./own-database";

/** Rows written by one statement. */
const PART = 20_000;

/** A database's history: its first delivery's time in Unix milliseconds, and the time between two. */
export type Past = { sql: postgres.Sql; startsAt: number; stepMs: number };

/** Returns a month of history with space for this many. */
export function newPast(sql: postgres.Sql, most: number): Past {
  const span = PAST_DAYS * DAY_MS;
  return { sql, startsAt: Date.now() - span, stepMs: Math.floor(span / most) };
}

/** Fills the history of all endpoints to this length, one delivery in fifty failed. */
export async function lengthenTo({ sql, startsAt, stepMs }: Past, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += PART) {
    await sql.unsafe(INSERT, [startsAt, first, Math.min(first + PART, to) - 1, stepMs]);
  }
  await sql.unsafe(SEQUENCES);
  await sql.unsafe("vacuum analyze");
}

// Identifiers as the service makes them (UUIDv7).
const INSERT = `
  with targets as (
    select array_agg(id order by id) as ids, count(*) as count, (array_agg(account_id))[1] as account
    from endpoints
  ),
  past as materialized (
    select n, t.account, t.ids[1 + n % t.count] as endpoint, 1 + n / t.count as sequence, 'order.' || n % 20 as event,
      case when n % 50 = 0 then 'failed' else 'delivered' end as status,
      (lpad(to_hex($1::bigint + n * $4::bigint), 12, '0') || '7' || left(md5(n::text), 3) || '8' || right(md5(n::text), 15))::uuid as id
    from generate_series($2::bigint, $3::bigint) n, targets t
  ),
  stored as (
    insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
    select id, account, endpoint, sequence, event, '{"order":' || n || '}' from past
  ),
  ended as (
    insert into results
      (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms)
    select id, account, endpoint, status::delivery_status, 1, case status when 'failed' then 410 else 200 end, now(),
      case status when 'delivered' then 12 end
    from past
  ),
  tried as (
    insert into attempts (delivery_id, account_id, attempt, status, started_at, duration_ms)
    select id, account, 1, 410, now(), 12 from past where status = 'failed'
  )
  insert into counter_deltas (account_id, event, accepted, delivered, failed)
  select account, event, count(*), count(*) filter (where status = 'delivered'),
    count(*) filter (where status = 'failed')
  from past group by 1, 2
`;

const SEQUENCES = `
  update mailboxes m set last_sequence = d.last
  from (select endpoint_id, max(sequence) as last from deliveries group by 1) d
  where d.endpoint_id = m.endpoint_id
`;
