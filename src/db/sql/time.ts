import type { AnySql, Fragment } from "../pool";

/** Converts milliseconds to a Postgres interval. */
export function intervalOf(sql: AnySql, ms: number): Fragment {
  return sql`(${ms}::float8 * interval '1 millisecond')`;
}

/** Converts a Postgres time to Unix milliseconds; null stays null. `time` is SQL. */
export function unixMs(sql: AnySql, time: string): Fragment {
  return sql`${sql.unsafe(`(extract(epoch from ${time}) * 1000)::float8`)}`;
}
