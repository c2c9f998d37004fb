/**
 * Parts of the statement that records: what the outcomes in `notable` say of their endpoints. A trouble begins by Postgres'
 * clock, which all dispatchers share, and to the millisecond, as attempts do.
 */
export function healthChanges(disableAfterMs: string): string {
  return `
    judged as materialized (
      select account_id, endpoint_id, max(n) as n, bool_or(health = 'recovered') as recovered,
        bool_or(health = 'gone') as gone, max(started_at) filter (where health = 'disabled') as disabled_at,
        bool_or(health in ('failing', 'gone')) as failing
      from notable where health is not null group by account_id, endpoint_id order by endpoint_id
    ),
    health as (
      update endpoints e
      set failing_since = case when not j.recovered then coalesce(e.failing_since, case when j.failing then date_trunc('milliseconds', now()) end) end,
        is_active = e.is_active
          and not coalesce(j.gone or (not j.recovered and ${failedForLong(disableAfterMs)}), false)
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

/**
 * True when the endpoint `e` has only failed for so long, and the last attempt of `j` that found so belongs to this trouble.
 * Asks Postgres' clock as well, since a process' clock may be wrong for a moment.
 */
export function failedForLong(disableAfterMs: string): string {
  return `
    (e.failing_since <= to_timestamp(j.disabled_at / 1000)
      and e.failing_since <= now() - ${disableAfterMs} * interval '1 millisecond')
  `;
}
