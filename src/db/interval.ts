import type { AnySql, Fragment } from "./pool";

/** Milliseconds as a Postgres interval. */
export function intervalOf(sql: AnySql, ms: number): Fragment {
  return sql`(${ms}::float8 * interval '1 millisecond')`;
}
