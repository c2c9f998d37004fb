import type { AnySql } from "../db/pool";
import { plainArrayOf } from "../db/sql/arrays";
import type { TuningPatch } from "../domain/tuning";

/** The columns of `Tuning` in a select or returning list. */
export function tuningColumns(sql: AnySql) {
  return sql`
    metadata, retry_schedule_ms as "retryScheduleMs", timeout_ms as "timeoutMs", rate_limit as "rateLimit",
    ordering::text as ordering, max_in_flight as "maxInFlight", while_inactive::text as "whileInactive",
    to_json(permanent_statuses) as "permanentStatuses"
  `;
}

/** The same in a `set` list. */
export function tuningAssignments(sql: AnySql, tuning: TuningPatch) {
  const {
    metadata,
    retryScheduleMs,
    timeoutMs,
    rateLimit,
    ordering,
    maxInFlight,
    whileInactive,
    permanentStatuses,
  } = tuning;
  return sql`
    metadata = coalesce(${jsonOf(metadata)}::text::jsonb, metadata),
    retry_schedule_ms = case when ${retryScheduleMs !== undefined}
      then ${jsonOf(retryScheduleMs)}::text::jsonb else retry_schedule_ms end,
    timeout_ms = case when ${timeoutMs !== undefined} then ${timeoutMs ?? null}::integer else timeout_ms end,
    rate_limit = case when ${rateLimit !== undefined} then ${rateLimit ?? null}::integer else rate_limit end,
    ordering = coalesce(${ordering ?? null}::text::ordering, ordering),
    max_in_flight = coalesce(${maxInFlight ?? null}::smallint, max_in_flight),
    while_inactive = coalesce(${whileInactive ?? null}::text::while_inactive, while_inactive),
    permanent_statuses = coalesce(${permanentStatuses ? plainArrayOf(permanentStatuses) : null}::smallint[], permanent_statuses)
  `;
}

function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
