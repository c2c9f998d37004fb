import type { AnySql, Fragment } from "../../db/pool";
import { type AccountRef, isAmongAccounts } from "../../db/sql/planner";
import type { EndpointId } from "../../domain/ids";
import { SCHEDULED } from "../../domain/partition";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "./cursor";
import { type IdRange, within } from "./id-range";
import { literal } from "./row-limit";

/** An endpoint's queue, and the way to read it. */
export type EndpointQueue = {
  endpointId: EndpointId;
  /**
   * The partition of a short queue, which is read and sorted whole. Null for a long queue, which is read from the index of all
   * pending deliveries of the account.
   */
  shortIn: number | null;
};

/** The end of a range to read, and the number of rows. */
export type RangeEnd = { order: "newest" | "oldest"; rows: number };

/**
 * Selects the `id` of an endpoint's deliveries at one end of the range, unsorted. Returns at most `rows` ended and `rows`
 * pending deliveries. Reads ended ones from the endpoint's index. Reads the pending ones of a long queue from the account's
 * index, and only up to the last ended one.
 */
export function idsOfEndpoint(
  sql: AnySql,
  accountId: AccountRef,
  queue: EndpointQueue,
  range: IdRange,
  { order, rows }: RangeEnd,
): Fragment {
  const [direction, beyond, none] =
    order === "newest" ? [sql`desc`, sql`>`, BEFORE_ALL_IDS] : [sql`asc`, sql`<`, AFTER_ALL_IDS];
  const limit = literal(sql, rows);
  return sql`
    select id from (
      with ended as materialized (
        ${endedIds(sql, queue, range)} order by r.delivery_id ${direction} limit ${limit}
      )
      select id from ended
      union all
      (
        ${pendingIds(sql, accountId, queue, range)}
          and q.delivery_id ${beyond} coalesce(
            (select id from ended order by id ${direction} offset ${literal(sql, rows - 1)} limit 1), ${none}::uuid)
        order by q.delivery_id ${direction} limit ${limit}
      )
    ) as of_endpoint
  `;
}

/** Selects the `id` of an endpoint's ended deliveries, by their results `r`. */
export function endedIds(sql: AnySql, { endpointId }: EndpointQueue, range: IdRange): Fragment {
  return sql`
    select r.delivery_id as id from results r
    where r.endpoint_id = ${endpointId} ${within(sql, range, "r.delivery_id")}
  `;
}

/** Selects the `id` of an endpoint's pending deliveries `q`; a condition may follow. */
export function pendingIds(
  sql: AnySql,
  accountId: AccountRef,
  queue: EndpointQueue,
  range: IdRange,
): Fragment {
  const { endpointId, shortIn } = queue;
  const isOfEndpoint =
    shortIn === null
      ? isAmongAccounts(sql, accountId, endpointId)
      : sql`q.partition in (${SCHEDULED}, ${shortIn}) and q.endpoint_id = ${endpointId}`;
  return sql`
    select q.delivery_id as id from queue q
    where ${isOfEndpoint} ${within(sql, range, "q.delivery_id")}
  `;
}
