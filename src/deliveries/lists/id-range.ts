import type { AnySql, Fragment } from "../../db/pool";
import { leastIdAt } from "../../domain/ids";
import type { CreatedRange } from "../delivery";
import { AFTER_ALL_IDS } from "./cursor";

/** A range of ids. `from` is inclusive, `after` and `before` are exclusive. */
export type IdRange = { from?: string | undefined; after?: string | undefined; before?: string | undefined };

/** Returns the range of a page. Always sets an end, so that the first page and later pages use the same statement. */
export function rangeOf({
  createdFrom,
  createdBefore,
  after,
}: CreatedRange & { after?: { before: string } | undefined }): IdRange {
  const from = createdFrom === undefined ? undefined : leastIdAt(createdFrom);
  const end = createdBefore === undefined ? AFTER_ALL_IDS : leastIdAt(createdBefore);
  return { from, before: after && after.before < end ? after.before : end };
}

/** SQL: continues a condition: a column of ids is in the range. */
export function within(sql: AnySql, { from, after, before }: IdRange, column: string): Fragment {
  const name = sql.unsafe(column);
  return sql`
    ${from === undefined ? sql`` : sql`and ${name} >= ${from}`}
    ${after === undefined ? sql`` : sql`and ${name} > ${after}`}
    ${before === undefined ? sql`` : sql`and ${name} < ${before}`}
  `;
}

/**
 * SQL: continues a condition: deliveries `d` or events `i` of one event type are in the range. Compares the event too: with ids
 * only, Postgres could choose the primary key instead of the event's index, which begins with the event (see `isOfEvent`). Also
 * compares the ids alone, by which Postgres excludes time ranges.
 */
export function withinOfEvent(sql: AnySql, range: IdRange, table: "d" | "i", event: string): Fragment {
  const { from, before } = range;
  const key = sql.unsafe(`(${table}.event, ${table}.id)`);
  return sql`
    ${from === undefined ? sql`` : sql`and ${key} >= (${event}::text, ${from}::uuid)`}
    ${before === undefined ? sql`` : sql`and ${key} < (${event}::text, ${before}::uuid)`}
    ${within(sql, range, `${table}.id`)}
  `;
}
