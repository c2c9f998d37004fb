import type { AnySql, Fragment } from "../../db/pool";
import { leastIdAt } from "../../domain/ids";
import type { CreatedRange } from "../delivery";
import { AFTER_ALL_IDS } from "./cursor";

/** Ids from one (inclusive), or after one, to before another. */
export type IdRange = { from?: string | undefined; after?: string | undefined; before?: string | undefined };

/** Returns the ids of a page. Always sets an end, so a list's first page and later pages are the same statement. */
export function rangeOf({
  createdFrom,
  createdBefore,
  after,
}: CreatedRange & { after?: { before: string } | undefined }): IdRange {
  const from = createdFrom === undefined ? undefined : leastIdAt(createdFrom);
  const end = createdBefore === undefined ? AFTER_ALL_IDS : leastIdAt(createdBefore);
  return { from, before: after && after.before < end ? after.before : end };
}

/** Continues a condition: a column of ids lies in the range. */
export function within(sql: AnySql, { from, after, before }: IdRange, column: string): Fragment {
  const name = sql.unsafe(column);
  return sql`
    ${from === undefined ? sql`` : sql`and ${name} >= ${from}`}
    ${after === undefined ? sql`` : sql`and ${name} > ${after}`}
    ${before === undefined ? sql`` : sql`and ${name} < ${before}`}
  `;
}
