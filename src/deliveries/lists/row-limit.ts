import type { AnySql } from "../../db/pool";

/** Row limits of prepared statements: the usual page sizes plus one. */
const SIZES = [21, 51, 101];

/** Rounds up to a prepared size. Larger numbers stay unchanged. */
export function roundUp(rows: number): number {
  return SIZES.find((size) => size >= rows) ?? rows;
}

/**
 * Writes a limit into the statement's text. A parameter would make Postgres plan the statement each time, which takes longer
 * than running it. Only for few different values, since each makes another prepared statement.
 */
export function literal(sql: AnySql, rows: number) {
  return sql.unsafe(String(Math.trunc(rows)));
}
