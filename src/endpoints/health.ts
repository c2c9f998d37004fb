import type { AnySql, Fragment } from "../db/pool";
import { unixMs } from "../db/sql/time";

export const DISABLED_REASONS = ["failing", "gone", "unwanted"] as const;
/** Why Hermod disabled an endpoint. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A failed attempt. `at` is Unix milliseconds; a status of 0 means no HTTP response. */
export type LastFailure = { at: number; status: number; error: string | null; errorDetail: string | null };

export const HEALTH_STATES = ["healthy", "failing", "blocked", "disabled", "paused"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** Errors of attempts that Hermod does not start, because it may not send to the URL. */
export const BLOCKING_ERRORS = ["blocked_address", "https_required", "invalid_url"] as const;

/** An endpoint's health, as it is stored. Times are Unix milliseconds. */
export type Health = {
  state: HealthState;
  inactiveSince: number | null;
  disabledReason: DisabledReason | null;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailure: LastFailure | null;
};

/** The columns of `Health` in a select or returning list over endpoints. */
export function healthColumns(sql: AnySql): Fragment {
  return sql`
    ${healthState(sql)} as state, ${unixMs(sql, "inactive_since")} as "inactiveSince", disabled_reason as "disabledReason",
    ${unixMs(sql, "failing_since")} as "failingSince", ${unixMs(sql, "last_success_at")} as "lastSuccessAt",
    last_failure as "lastFailure"
  `;
}

export function healthState(sql: AnySql): Fragment {
  return sql`
    case
      when not is_active then case when disabled_reason is null then 'paused' else 'disabled' end
      when failing_since is null then 'healthy'
      when last_failure ->> 'error' in ${sql(BLOCKING_ERRORS)} then 'blocked'
      else 'failing'
    end
  `;
}

/**
 * Assignments for an update by the account. Activation ends a trouble, and inactivity is the account's own from then
 * on.
 */
export function activation(sql: AnySql, isActive: boolean | undefined): Fragment {
  const activates = sql`${isActive === true} and not is_active`;
  return sql`
    inactive_since = case when ${isActive === true} then null
      when ${isActive === false} and is_active then now() else inactive_since end,
    disabled_reason = case when ${isActive !== undefined} then null else disabled_reason end,
    failing_since = case when ${activates} then null else failing_since end,
    failed_deliveries = case when ${activates} then 0 else failed_deliveries end,
    gone_since = case when ${activates} then null else gone_since end,
    is_warned = is_warned and not (${activates}),
    is_active = coalesce(${isActive ?? null}, is_active)
  `;
}
