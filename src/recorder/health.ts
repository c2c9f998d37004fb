/** Answers of 410 disable an endpoint only after this time, since a receiver may answer 410 briefly during a deployment. */
const GONE_FOR = "interval '1 minute'";
/** An endpoint is disabled only after at least this many failed deliveries. */
const LEAST_FAILED_DELIVERIES = 2;
/** The feed warns after this share of the time of failure that disables an endpoint. */
const WARNING_SHARE = 0.25;

/**
 * Returns the parts of the recording statement that update the endpoints' health from the outcomes in `notable`. Times are on
 * Postgres' clock, which all dispatchers share. A success outweighs the failures recorded with it, but not `unwanted` and
 * `exhausted`.
 */
export function healthChanges(disableAfterMs: string): string {
  return `
    judged as materialized (
      select account_id, endpoint_id, max(n) as n, coalesce(bool_or(health = 'recovered'), false) as recovered,
        bool_or(health = 'gone') as gone, bool_or(health = 'unwanted') as unwanted,
        (array_agg(delivery_id order by n) filter (where health = 'exhausted'))[1] as exhausted,
        bool_or(health in ('failing', 'gone', 'unwanted')) as failing,
        bool_or(health <> 'still_failing' or rest is not null) as changed,
        max(rest) as rest,
        count(*) filter (where ending = 'failed' and health is not null) as ended,
        (array_agg(jsonb_build_object(
          'at', (started_at + duration_ms)::bigint, 'status', status, 'error', error, 'errorDetail', error_detail
        ) order by n desc) filter (where health <> 'recovered'))[1] as last_failure
      from notable
      where health is not null
      group by account_id, endpoint_id order by endpoint_id
    ),
    -- Locks the endpoints. Otherwise another recording could change one between the feed event and the update below.
    before as materialized (
      select e.* from endpoints e join judged j on j.endpoint_id = e.id order by e.id for no key update of e
    ),
    health as (
      update endpoints e
      set failing_since = case when not j.recovered
          then coalesce(e.failing_since, case when j.failing then date_trunc('milliseconds', now()) end) end,
        failed_deliveries = case when j.recovered then 0 else e.failed_deliveries + j.ended end,
        gone_since = case when not j.recovered then coalesce(e.gone_since, case when j.gone then now() end) end,
        is_warned = not j.recovered and (e.is_warned or ${isToBeWarned(disableAfterMs)}),
        -- A success does not end the endpoint's rest: the attempt may have begun before it.
        rests_until = case
          when j.rest is not null then greatest(e.rests_until, now() + j.rest * interval '1 millisecond')
          when not j.recovered or e.rests_until > now() then e.rests_until
        end,
        last_success_at = case when j.recovered then now() else e.last_success_at end,
        last_failure = coalesce(j.last_failure, e.last_failure),
        is_active = e.is_active and ${reasonToDisable(disableAfterMs)} is null,
        inactive_since = case when e.is_active and ${reasonToDisable(disableAfterMs)} is not null then now()
          else e.inactive_since end,
        disabled_reason = case when e.is_active then ${reasonToDisable(disableAfterMs)} else e.disabled_reason end
      from judged j join before b on b.id = j.endpoint_id
      where e.id = j.endpoint_id
      returning e.id, j.changed
    ),
    -- Reads from health, so that mailboxes are locked after endpoints, as in every other statement.
    revised as (
      update mailboxes m set revision = m.revision + 1 from health h where m.endpoint_id = h.id and h.changed
    )
  `;
}

/**
 * SQL: the reason for which `j` of `judged` disables the active endpoint `e`; null if it stays active. An attempt that will be
 * repeated never disables an endpoint, so the first failure after a quiet time does not.
 */
export function reasonToDisable(disableAfterMs: string): string {
  return `
    (case
      when j.unwanted then 'unwanted'
      when j.exhausted is not null then 'exhausted'
      when j.recovered then null
      when j.gone and e.gone_since <= now() - ${GONE_FOR} then 'gone'
      when j.ended > 0 and e.failed_deliveries + j.ended >= ${LEAST_FAILED_DELIVERIES}
        and e.failing_since <= now() - ${interval(disableAfterMs)} then 'failing'
    end)
  `;
}

/** SQL: true if the feed must warn now that the endpoint `e` will be disabled if it keeps failing. */
export function isToBeWarned(disableAfterMs: string): string {
  return `
    (e.is_active and not e.is_warned and not j.recovered and ${reasonToDisable(disableAfterMs)} is null
      and coalesce(e.failing_since <= now() - ${interval(disableAfterMs)} * ${WARNING_SHARE}, false))
  `;
}

function interval(ms: string): string {
  return `${ms} * interval '1 millisecond'`;
}
