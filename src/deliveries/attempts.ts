import type { AnySql, Fragment } from "../db/pool";

/**
 * Every attempt that was recorded, to be selected from as a table with the columns of `attempts`. Whoever does asks for
 * deliveries by their ids, each of which is looked up in both places.
 */
export function allAttempts(sql: AnySql): Fragment {
  return sql`
    (
      select delivery_id, attempt, status, error, started_at, duration_ms, response_body from attempts
      union all
      select delivery_id, attempt_count, response_status, null, completed_at - duration_ms * interval '1 millisecond',
        duration_ms, response_body
      from results where duration_ms is not null
    )
  `;
}
