import type { AnySql } from "../../db/pool";

/** Rows that statements are made for: those of the usual page sizes, and one more each. */
const SIZES = [21, 51, 101];

/** The least of few sizes that holds so many rows. */
export function roundUp(rows: number): number {
  return SIZES.find((size) => size >= rows) ?? rows;
}

/**
 * A limit as part of the statement: given as a parameter, the statement would be planned anew each time, which
 * takes longer than running it. Only for few different values, as each makes a statement that stays prepared.
 */
export function literal(sql: AnySql, rows: number) {
  return sql.unsafe(String(Math.trunc(rows)));
}
