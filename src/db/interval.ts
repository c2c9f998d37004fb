import type { AnySql, Fragment } from "./pool";

/** So many milliseconds as an interval of Postgres'. */
export function intervalOf(sql: AnySql, ms: number): Fragment {
  return sql`(${ms}::float8 * interval '1 millisecond')`;
}
