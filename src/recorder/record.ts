import { type AnySql, statement } from "../db/pool";
import { arrayOf, plainArrayOf, sparseArrayOf } from "../db/sql/arrays";
import { isInQueueText } from "../db/sql/planner";
import { drains, type Outcome, type Recorded, type Verdict } from "../domain/outcome";
import { tallyOf } from "../domain/tally";
import { drainedOrders } from "./drain";
import { feedEvents } from "./feed-events";
import { healthChanges } from "./health";

const TYPES = {
  partitions: "smallint[]",
  endpointIds: "uuid[]",
  sequences: "bigint[]",
  events: "text[]",
  attemptCounts: "smallint[]",
  statuses: "smallint[]",
  errors: "text[]",
  errorDetails: "text[]",
  locations: "text[]",
  startTimes: "float8[]",
  durations: "integer[]",
  responseBodies: "text[]",
  exchanges: "text[]",
  endings: "delivery_status[]",
  waits: "float8[]",
  health: "text[]",
  tallies: "integer[]",
  rests: "float8[]",
};
const RARE_TYPES = { ...TYPES, disableAfterMs: "float8" };

type AppliedRows = { indexes: string | null; revisions: string | null };

const recordCommon = statement<AppliedRows, keyof typeof TYPES>(TYPES, (the) => recording(the, ""));
/** Also changes orders, endpoints and feeds. Takes 1.5 times as long as `recordCommon` (measured with 25 outcomes). */
const recordRare = statement<AppliedRows, keyof typeof RARE_TYPES>(RARE_TYPES, (the) =>
  recording(
    the,
    `, ${drainedOrders()}, ${healthChanges(the.disableAfterMs)}, ${feedEvents(the.disableAfterMs)}`,
  ),
);

function recording(the: Readonly<Record<keyof typeof TYPES, string>>, rareParts: string): string {
  return `
    with input as materialized (
      select i.*, i.attempt_count = 0 and i.ending is not distinct from 'delivered' and i.error is null as first_try
      from unnest(
        ${the.partitions}, ${the.endpointIds}, ${the.sequences}, ${the.events}, ${the.attemptCounts}, ${the.statuses},
        ${the.errors}, ${the.errorDetails}, ${the.locations}, ${the.startTimes}, ${the.durations},
        ${the.responseBodies}, ${the.exchanges}, ${the.endings}, ${the.waits}, ${the.health}, ${the.tallies}, ${the.rests}
      ) with ordinality as i(
        partition, endpoint_id, sequence, event, attempt_count, status, error, error_detail, location, started_at,
        duration_ms, response_body, exchange, ending, retry_after, health, tally, rest, n)
    ),
    ended as (
      delete from queue q using input i
      where i.ending is not null and ${isInQueueText("i")} and q.attempt_count = i.attempt_count
      returning i.*, q.account_id, q.delivery_id, q.ordering_key, q.single_attempt_to
    ),
    postponed as (
      update queue q
      set attempt_count = q.attempt_count + 1, free_attempts = q.free_attempts + q.next_is_free::integer,
        next_is_free = false, response_status = i.status,
        next_attempt_at = now() + i.retry_after * interval '1 millisecond'
      from input i
      where i.ending is null and ${isInQueueText("i")} and q.attempt_count = i.attempt_count
      returning i.*, q.account_id, q.delivery_id, q.ordering_key, q.single_attempt_to
    ),
    applied as not materialized (select * from ended union all select * from postponed),
    -- The few outcomes that are not plain successes. The parts below read only these.
    notable as materialized (select * from applied where not first_try or health is not null),
    tried as (
      insert into attempts
        (delivery_id, account_id, attempt, status, error, error_detail, location, started_at, duration_ms, response_body, exchange)
      select delivery_id, account_id, attempt_count + 1, status, error, error_detail, location, to_timestamp(started_at / 1000),
        duration_ms, response_body, exchange
      from notable where not first_try
    ),
    finished as (
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, end_reason, completed_at,
          duration_ms, response_body, exchange)
      select delivery_id, account_id, endpoint_id, ending, attempt_count + 1, status,
        case when ending = 'cancelled' then 'forgery_refused'::end_reason end,
        to_timestamp((started_at + duration_ms) / 1000), case when first_try then duration_ms end,
        case when first_try then response_body end, case when first_try then exchange end
      from ended
    ),
    counted as (
      insert into counter_deltas (account_id, event, delivered, failed, cancelled)
      select account_id, coalesce(event, ''), count(*) filter (where ending = 'delivered'),
        count(*) filter (where ending = 'failed'), count(*) filter (where ending = 'cancelled')
      from ended group by 1, 2
    ),
    tallied as (
      insert into tallies (endpoint_ids, codes) select array_agg(endpoint_id), array_agg(tally) from applied having count(*) > 0
    )${rareParts}
    select array_to_string(array_agg(n - 1), ',') as indexes, array_to_string(array_agg(coalesce(
        (select m.revision from mailboxes m where m.endpoint_id = a.endpoint_id), 0)), ',') as revisions
    from applied a
  `;
}

/**
 * Writes many outcomes in one statement, at most one per delivery. An outcome is written only if its delivery is still pending
 * with the number of attempts that the dispatcher knew (compare and set), so a stale owner changes nothing. If the first
 * attempt succeeds without an error, it is stored in the row of the result, which saves a row and an index entry. Returns an
 * answer for each outcome, in order. An unordered endpoint may have several outcomes; see `healthChanges`. `disableAfterMs`: see
 * `reasonToDisable`.
 */
export async function recordOutcomes(
  sql: AnySql,
  outcomes: readonly Outcome[],
  disableAfterMs: number,
): Promise<Recorded[]> {
  const record = outcomes.some(changesHealth) ? recordRare : recordCommon;
  const [row] = await record(sql, {
    partitions: plainArrayOf(outcomes.map((each) => each.partition)),
    endpointIds: plainArrayOf(outcomes.map((each) => each.endpointId)),
    sequences: plainArrayOf(outcomes.map((each) => each.sequence)),
    events: arrayOf(outcomes.map((each) => each.event)),
    attemptCounts: plainArrayOf(outcomes.map((each) => each.attemptCount)),
    statuses: plainArrayOf(outcomes.map((each) => each.attempt.status)),
    errors: sparseArrayOf(outcomes.map((each) => each.attempt.error)),
    errorDetails: sparseArrayOf(outcomes.map((each) => each.attempt.errorDetail)),
    locations: sparseArrayOf(outcomes.map((each) => each.attempt.location)),
    startTimes: plainArrayOf(outcomes.map((each) => each.attempt.startedAt)),
    durations: plainArrayOf(outcomes.map((each) => Math.round(each.attempt.durationMs))),
    responseBodies: arrayOf(outcomes.map((each) => each.attempt.responseBody)),
    exchanges: arrayOf(outcomes.map((each) => each.attempt.exchange)),
    endings: sparseArrayOf(outcomes.map(({ verdict }) => endingIn(verdict))),
    waits: sparseArrayOf(outcomes.map(({ verdict }) => waitIn(verdict))),
    tallies: plainArrayOf(outcomes.map(tallyOf)),
    health: sparseArrayOf(outcomes.map(({ health }) => (health === "none" ? null : health))),
    rests: sparseArrayOf(outcomes.map(({ restMs }) => restMs)),
    disableAfterMs,
  });
  const answers: Recorded[] = outcomes.map(() => ({ applied: false }));
  const revisions = numbersIn(row?.revisions);
  for (const [i, index] of numbersIn(row?.indexes).entries())
    answers[index] = { applied: true, revision: revisions[i] ?? 0 };
  return answers;
}

/** True if an outcome may also change the delivery's order, its endpoint or the account's feed. */
function changesHealth({ verdict, health }: Outcome): boolean {
  return verdict.kind === "failed" || drains(verdict) || health !== "none";
}

function endingIn({ kind }: Verdict): "delivered" | "failed" | "cancelled" | null {
  return kind === "retry" || kind === "stop" ? null : kind;
}

/** Milliseconds until the delivery's next attempt; after a final failure, until the next delivery of its order. */
function waitIn(verdict: Verdict): number | null {
  switch (verdict.kind) {
    case "delivered":
      return null;
    case "failed":
    case "cancelled":
      return verdict.nextAfterMs;
    case "retry":
      return verdict.afterMs;
    case "stop":
      return 0;
  }
}

function numbersIn(text: string | null | undefined): number[] {
  return text ? text.split(",").map(Number) : [];
}
