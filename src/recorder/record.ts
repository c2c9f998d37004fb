import { arrayOf } from "../db/arrays";
import type { AnySql, Fragment } from "../db/pool";
import { isInQueue } from "../db/queue-key";
import { drainedOrders } from "./drain";
import { failedForLong } from "./failing";
import { isNews, newsOf } from "./news";
import type { Outcome, RecordedRow, Verdict } from "./outcome";
import { isPlainSuccess, recordSuccesses } from "./record-successes";

export type RecordOptions = Readonly<{
  /** See `RetryPolicy`. */
  disableAfterMs: number;
}>;

/**
 * Writes many outcomes in one statement, at most one of a delivery. Each counts only if its delivery is still pending with as
 * many attempts as believed (compare and set), so what a stale owner brings changes nothing. A delivery that succeeds at once, with no error to note,
 * has its attempt in its result, which saves a row and an entry in an index. The statement has parts for retries, for a
 * change of endpoints' health and for news only where there are any; plain successes alone have a short one of their own.
 *
 * An endpoint that asks for no order may have several: a success then counts for more than the failures beside it, and only
 * one that says it is gone is set inactive though it has recovered meanwhile.
 */
export async function recordOutcomes(
  sql: AnySql,
  outcomes: readonly Outcome[],
  options: RecordOptions,
): Promise<RecordedRow[]> {
  const recorded = outcomes.every(isPlainSuccess) ? await recordSuccesses(sql, outcomes) : null;
  return recorded ?? recordAny(sql, outcomes, options);
}

function recordAny(
  sql: AnySql,
  outcomes: readonly Outcome[],
  { disableAfterMs }: RecordOptions,
): Promise<RecordedRow[]> {
  const retries = outcomes.some(({ verdict }) => verdict.kind === "retry");
  const drains = outcomes.some(({ verdict }) => verdict.kind === "failed" && verdict.nextAfterMs !== null);
  const changes = outcomes.some(({ health }) => health !== "none");
  return sql<RecordedRow[]>`
    with ${inputOf(sql, outcomes)},
    ended as (
      delete from queue q using input i
      where i.verdict <> 'retry' and ${isInQueue(sql, "i")} and q.attempt_count = i.attempt_count
      returning i.*, q.account_id, q.delivery_id, q.ordering_key, q.single_attempt_to
    ),
    ${retries ? postponed(sql) : sql`applied as not materialized (select * from ended),`}
    tried as (
      insert into attempts
        (delivery_id, attempt, status, error, error_detail, location, started_at, duration_ms, response_body)
      select delivery_id, attempt_count + 1, status, error, error_detail, location, to_timestamp(started_at / 1000),
        duration_ms, response_body
      from applied where not at_once
    ),
    finished as (
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms,
          response_body)
      select delivery_id, account_id, endpoint_id, verdict::delivery_status, attempt_count + 1, status,
        to_timestamp((started_at + duration_ms) / 1000), case when at_once then duration_ms end,
        case when at_once then response_body end
      from ended
    ),
    counted as (
      insert into counter_deltas (account_id, event, delivered, failed)
      select account_id, coalesce(event, ''),
        count(*) filter (where verdict = 'delivered'), count(*) filter (where verdict = 'failed')
      from ended group by 1, 2
    )
    ${drains ? sql`, ${sql.unsafe(drainedOrders())}` : sql``}
    ${changes ? sql`, ${healthOf(sql, disableAfterMs)}` : sql``}
    ${outcomes.some(isNews) ? sql`, ${newsOf(sql, disableAfterMs)}` : sql``}
    select (n - 1)::integer as index,
      coalesce((select m.revision from mailboxes m where m.endpoint_id = a.endpoint_id), 0) as revision
    from applied a
  `;
}

function inputOf(sql: AnySql, outcomes: readonly Outcome[]): Fragment {
  return sql`
    input as materialized (
      select i.*, i.attempt_count = 0 and i.verdict = 'delivered' and i.error is null as at_once from unnest(
        ${arrayOf(outcomes.map((each) => each.partition))}::smallint[],
        ${arrayOf(outcomes.map((each) => each.endpointId))}::uuid[],
        ${arrayOf(outcomes.map((each) => each.sequence))}::bigint[],
        ${arrayOf(outcomes.map((each) => each.event))}::text[],
        ${arrayOf(outcomes.map((each) => each.attemptCount))}::smallint[],
        ${arrayOf(outcomes.map((each) => each.attempt.status))}::smallint[],
        ${arrayOf(outcomes.map((each) => each.attempt.error))}::text[],
        ${arrayOf(outcomes.map((each) => each.attempt.errorDetail ?? null))}::text[],
        ${arrayOf(outcomes.map((each) => each.attempt.location ?? null))}::text[],
        ${arrayOf(outcomes.map((each) => each.attempt.startedAt))}::float8[],
        ${arrayOf(outcomes.map((each) => Math.round(each.attempt.durationMs)))}::integer[],
        ${arrayOf(outcomes.map((each) => each.attempt.responseBody))}::text[],
        ${arrayOf(outcomes.map((each) => each.verdict.kind))}::text[],
        ${arrayOf(outcomes.map(({ verdict }) => waitIn(verdict)))}::float8[],
        ${arrayOf(outcomes.map((each) => each.health))}::text[]
      ) with ordinality as i(
        partition, endpoint_id, sequence, event, attempt_count, status, error, error_detail, location, started_at,
        duration_ms, response_body, verdict, retry_after, health, n)
    )
  `;
}

/** Milliseconds until the delivery is attempted again, or, once it has used up its schedule, the next one of its order. */
function waitIn(verdict: Verdict): number | null {
  switch (verdict.kind) {
    case "delivered":
      return null;
    case "failed":
      return verdict.nextAfterMs;
    case "retry":
      return verdict.afterMs;
  }
}

/** Those to be tried again, and with them all that are applied. */
function postponed(sql: AnySql): Fragment {
  return sql`
    postponed as (
      update queue q
      set attempt_count = q.attempt_count + 1, response_status = i.status,
        next_attempt_at = now() + i.retry_after * interval '1 millisecond'
      from input i
      where i.verdict = 'retry' and ${isInQueue(sql, "i")} and q.attempt_count = i.attempt_count
      returning i.*, q.account_id, q.delivery_id, q.ordering_key, q.single_attempt_to
    ),
    applied as materialized (select * from ended union all select * from postponed),
  `;
}

/**
 * What the outcomes say of their endpoints. A trouble begins by Postgres' clock, which is the same for all who attempt; to the
 * millisecond, as attempts do.
 */
function healthOf(sql: AnySql, disableAfterMs: number): Fragment {
  return sql`
    judged as materialized (
      select endpoint_id, bool_or(health = 'recovered') as recovered, bool_or(health = 'gone') as gone,
        max(started_at) filter (where health = 'disabled') as disabled_at,
        bool_or(health in ('failing', 'gone')) as failing
      from applied where health <> 'none' group by endpoint_id order by endpoint_id
    ),
    health as (
      update endpoints e
      set failing_since = case when not j.recovered then coalesce(e.failing_since, case when j.failing then date_trunc('milliseconds', now()) end) end,
        is_active = e.is_active
          and not coalesce(j.gone or (not j.recovered and ${failedForLong(sql, disableAfterMs)}), false)
      from judged j
      where e.id = j.endpoint_id
      returning e.id
    ),
    -- Of those that were updated: so mailboxes are locked after endpoints, as all others do.
    revised as (
      update mailboxes m set revision = m.revision + 1 from health h where m.endpoint_id = h.id
    )
  `;
}
