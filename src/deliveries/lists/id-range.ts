import type { AnySql, Fragment } from "../../db/pool";

/** Ids from one (inclusive), or after one, to before another. */
export type IdRange = { from?: string | undefined; after?: string | undefined; before?: string | undefined };

/** Continues a condition: a column of ids lies in the range. */
export function within(sql: AnySql, { from, after, before }: IdRange, column: string): Fragment {
  const name = sql.unsafe(column);
  return sql`
    ${from === undefined ? sql`` : sql`and ${name} >= ${from}`}
    ${after === undefined ? sql`` : sql`and ${name} > ${after}`}
    ${before === undefined ? sql`` : sql`and ${name} < ${before}`}
  `;
}
