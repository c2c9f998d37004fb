import { plainArrayOf } from "../db/arrays";
import type { AnySql } from "../db/pool";

/** Settings of an endpoint besides its URL and filter. */
export type Tuning = {
  /** The account's own notes; Hermod does not use them. */
  metadata: Readonly<Record<string, string>>;
  /** The wait after each failed attempt, in milliseconds; null: the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  /** Deadline of an attempt, in milliseconds; null: the service's own. */
  timeoutMs: number | null;
  /** Attempts that may start within any second; null: unlimited. */
  rateLimit: number | null;
  ordering: Ordering;
  /** Attempts in flight at once, unless `ordered`. */
  maxInFlight: number;
  whileInactive: WhileInactive;
  /** HTTP statuses that fail a delivery at once, instead of a retry. */
  permanentStatuses: readonly number[];
};

/** Which deliveries keep their order: all of the endpoint, the ones with the same ordering key, or none. */
export const ORDERINGS = ["ordered", "by_key", "unordered"] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** Whether an inactive endpoint's events wait for it, or make no delivery. */
export const WHILE_INACTIVE = ["hold", "skip"] as const;
export type WhileInactive = (typeof WHILE_INACTIVE)[number];

/** Absent or undefined settings stay as they are. */
export type TuningPatch = { [Name in keyof Tuning]?: Tuning[Name] | undefined };

export const TUNING_LIMITS = {
  metadataEntries: 50,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 512,
  retries: 20,
  retryMs: { least: 100, most: 86_400_000 },
  /** Sum of a whole schedule, in milliseconds. */
  retrySumMs: 604_800_000,
  timeoutMs: { least: 100, most: 60_000 },
  rateLimit: { least: 1, most: 1_000 },
  maxInFlight: { least: 1, most: 100 },
  permanentStatus: { least: 400, most: 499 },
} as const;

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
