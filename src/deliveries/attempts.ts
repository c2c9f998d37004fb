import type { AnySql, Fragment } from "../db/pool";

/**
 * Selects the recorded attempts of a delivery, with the columns of `attempts`. The ids of the delivery and of its endpoint are
 * expressions of the surrounding statement.
 */
export function attemptsAt(sql: AnySql, id: Fragment, endpointId: Fragment): Fragment {
  return sql`
    (
      select delivery_id, attempt, status, error, error_detail, location, started_at, duration_ms, response_body, exchange
      from attempts
      where delivery_id = ${id}
      union all
      select delivery_id, attempt_count, response_status, null, null, null,
        completed_at - duration_ms * interval '1 millisecond', duration_ms, response_body, exchange
      from results where endpoint_id = ${endpointId} and delivery_id = ${id} and duration_ms is not null
    )
  `;
}
