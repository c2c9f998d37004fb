import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { deliveryById } from "../../db/sql/planner";
import type { DeliveryStatus } from "../../domain/delivery-status";
import type { AccountId, EndpointId } from "../../domain/ids";
import { countOf, readCounts } from "../counts";
import type { DeliverySummary } from "../delivery";
import { indexRows, isNarrowed, type ListScan, otherFilters, residualFilters } from "./candidates";
import { literal, roundUp } from "./row-limit";
import { chooseIndex } from "./selectivity";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./summary";

export type PageQuery = {
  /** Starts at 1. */
  page: number;
  perPage: number;
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  /** Leaves out the deliveries to these endpoints, which have no counter: the cost grows with their number. */
  except?: readonly EndpointId[] | undefined;
};

export type NumberedPage = { deliveries: DeliverySummary[]; total: number };

/** Reads a page by its number, newest first. The cost grows with the distance from the nearer end of the list. */
export async function readPage(sql: Sql, accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
  const { page, perPage, status, event, except } = query;
  const total = await readTotal(sql, accountId, query);
  const offset = (page - 1) * perPage;
  if (offset >= total) return { deliveries: [], total };
  const index = await chooseIndex(sql, accountId, { event, status });
  if (index === null) return { deliveries: [], total };
  const others = residualFilters(index, { event, status });
  const slice = sliceOf(offset, perPage, total);
  const rows = await selectSlice(sql, { accountId, index, range: {}, others, except }, slice);
  return { deliveries: rows.map(toSummary), total };
}

/** Reads the number of matching deliveries, wherever they are. Counts those that are left out in Postgres alone. */
export async function readTotal(
  sql: Sql,
  accountId: AccountId,
  query: Pick<PageQuery, "status" | "event" | "except">,
): Promise<number> {
  const { status, event, except } = query;
  const counted = countOf(await readCounts(sql, accountId, event), status);
  return except === undefined ? counted : counted - (await countTo(sql, accountId, except, query));
}

/** Counts the matching deliveries to some endpoints. */
async function countTo(
  sql: Sql,
  accountId: AccountId,
  endpointIds: readonly EndpointId[],
  { status, event }: Pick<PageQuery, "status" | "event">,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::bigint as count from (
      select r.delivery_id as id, r.status from results r where r.endpoint_id = any(${arrayOf(endpointIds)}::uuid[])
      union all
      select q.delivery_id, 'pending' from queue q
      where q.account_id = ${accountId} and q.endpoint_id = any(${arrayOf(endpointIds)}::uuid[])
    ) c
    ${event === undefined ? sql`` : sql`cross join lateral ${deliveryById(sql, accountId, sql`c.id`)} d`}
    where ${status === undefined ? sql`true` : sql`c.status = ${status}::delivery_status`}
      and ${event === undefined ? sql`true` : sql`d.event = ${event}`}
  `;
  return row?.count ?? 0;
}

type Slice = { isFromEnd: boolean; offset: number; count: number };

// Ends at the last delivery that exists, so that no search looks for more.
function sliceOf(offset: number, perPage: number, total: number): Slice {
  const count = Math.min(perPage, total - offset);
  const fromEnd = total - offset - count;
  const isFromEnd = fromEnd < offset;
  return { isFromEnd, offset: isFromEnd ? fromEnd : offset, count };
}

async function selectSlice(sql: Sql, candidates: ListScan, slice: Slice): Promise<SummaryRow[]> {
  const { isFromEnd, offset, count } = slice;
  const direction = isFromEnd ? sql`asc` : sql`desc`;
  // A search must end at the last match. The first page is the most common and keeps its plan.
  const isFirst = offset === 0 && !isFromEnd && !isNarrowed(candidates);
  const limit = isFirst ? literal(sql, roundUp(count)) : sql`${count} offset ${offset}`;
  const rows = await sql<SummaryRow[]>`
    with chosen as materialized (
      select c.id from (${indexRows(sql, candidates)}) c
      ${otherFilters(sql, candidates)}
      order by c.id ${direction}
      limit ${limit}
    )
    select ${summaryColumns(sql)}
    from chosen cross join lateral ${deliveryById(sql, candidates.accountId, sql`chosen.id`)} d
    ${summaryJoins(sql)}
    order by d.id desc
  `;
  return rows.slice(0, count);
}
