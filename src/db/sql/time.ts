import type { AnySql, Fragment } from "../pool";

/** Converts milliseconds to a Postgres interval. */
export function intervalOf(sql: AnySql, ms: number): Fragment {
  return sql`(${ms}::float8 * interval '1 millisecond')`;
}

/** Converts a Postgres time to Unix milliseconds; null stays null. `time` is SQL. */
export function unixMs(sql: AnySql, time: string): Fragment {
  return sql`${sql.unsafe(`(extract(epoch from ${time}) * 1000)::float8`)}`;
}

/** Returns the first day of the calendar month (UTC) of a time in Unix milliseconds, as a date for Postgres. */
export function periodOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
