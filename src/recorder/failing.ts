import { intervalOf } from "../db/interval";
import type { AnySql, Fragment } from "../db/pool";

/**
 * True when the endpoint `e` has done nothing but fail for so long, as the last attempt of `j` that says so found as well. By
 * Postgres' clock too: that of the process may be wrong for a moment. An attempt of an earlier trouble says nothing of this one.
 */
export function failedForLong(sql: AnySql, disableAfterMs: number): Fragment {
  return sql`
    (e.failing_since <= to_timestamp(j.disabled_at / 1000) and e.failing_since <= now() - ${intervalOf(sql, disableAfterMs)})
  `;
}
