import { arrayOf, plainArrayOf } from "../db/arrays";
import type { AnySql } from "../db/pool";
import { isInQueue } from "../db/queue-key";
import type { Outcome, RecordedRow } from "./outcome";

/** Delivered at the first attempt, by an endpoint that was not in trouble: as nearly all outcomes are. */
export function isPlainSuccess({ attemptCount, verdict, health }: Outcome): boolean {
  return attemptCount === 0 && verdict.kind === "delivered" && health === "none";
}

/**
 * What `recordOutcomes` does, for plain successes alone. They need but half of what an outcome holds (measured at 1, 15
 * and 33 outcomes: a sixth less of Postgres' time, a tenth less of the driver's).
 */
export function recordSuccesses(
  sql: AnySql,
  successes: readonly Outcome[],
  slot: number,
): Promise<RecordedRow[]> {
  return sql<RecordedRow[]>`
    with input as materialized (
      select * from unnest(
        ${plainArrayOf(successes.map((each) => each.partition))}::smallint[],
        ${plainArrayOf(successes.map((each) => each.endpointId))}::uuid[],
        ${plainArrayOf(successes.map((each) => each.sequence))}::bigint[],
        ${arrayOf(successes.map((each) => each.event))}::text[],
        ${plainArrayOf(successes.map((each) => each.attempt.status))}::smallint[],
        ${plainArrayOf(successes.map((each) => each.attempt.startedAt))}::float8[],
        ${plainArrayOf(successes.map((each) => Math.round(each.attempt.durationMs)))}::integer[],
        ${arrayOf(successes.map((each) => each.attempt.responseBody))}::text[]
      ) with ordinality as i(
        partition, endpoint_id, sequence, event, status, started_at, duration_ms, response_body, n)
    ),
    ended as (
      delete from queue q using input i
      where ${isInQueue(sql, sql`i`)} and q.attempt_count = 0
      returning i.n, i.endpoint_id, i.event, i.status, i.started_at, i.duration_ms, i.response_body,
        q.account_id, q.delivery_id
    ),
    finished as (
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms,
          response_body)
      select delivery_id, account_id, endpoint_id, 'delivered', 1, status,
        to_timestamp((started_at + duration_ms) / 1000), duration_ms, response_body
      from ended
    ),
    counted as (
      insert into counters as c (account_id, event, slot, delivered)
      select account_id, coalesce(event, ''), ${slot}::smallint, count(*) from ended group by 1, 2 order by 1, 2
      on conflict (account_id, event, slot) do update set delivered = c.delivered + excluded.delivered
    ),
    totalled as (
      insert into totals as t (account_id, slot, delivered)
      select account_id, ${slot}::smallint, count(*) from ended group by 1 order by 1
      on conflict (account_id, slot) do update set delivered = t.delivered + excluded.delivered
    )
    select (n - 1)::integer as index,
      coalesce((select m.revision from mailboxes m where m.endpoint_id = e.endpoint_id), 0) as revision
    from ended e
  `;
}
