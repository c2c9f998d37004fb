import type { Reads } from "../../db/database";
import type { Fragment, PendingQuery, Sql } from "../../db/pool";
import { deliveryById } from "../../db/sql/planner";
import type { AccountId } from "../../domain/ids";
import type { DeliverySummary } from "../delivery";
import {
  indexRows,
  isNarrowed,
  type ListIndex,
  type ListScan,
  otherFilters,
  residualFilters,
} from "./candidates";
import type { PagePosition } from "./cursor";
import { type CursorQuery, nextOf, type PieceRow, pieceOf, pieceSql } from "./cursor-form";
import { type IdRange, rangeOf } from "./id-range";
import { literal, roundUp } from "./row-limit";
import type { DeliverySearch } from "./search";
import { wantsFailure } from "./search";
import { searchBack, windowsOf } from "./search-back";
import type { SearchPace } from "./search-pace";
import { type SummaryRow, summaryColumns, toSummary } from "./summary";

/** A delivery of any account. */
export type AccountDelivery = DeliverySummary & { accountId: AccountId };
export type AccountDeliveryPage = { data: AccountDelivery[]; next: PagePosition | null };

/**
 * Reads a page of the deliveries of all accounts, newest first. It may have fewer than the limit, even none, though another page
 * follows. The cost grows with the number of accounts. Takes no endpoint: callers then read the list of the endpoint's account.
 */
export async function readOfAllAccounts(
  db: Reads,
  pace: SearchPace,
  query: CursorQuery,
  now: number,
): Promise<AccountDeliveryPage> {
  const { limit } = query;
  const index = indexOfAllAccounts(query);
  const others = residualFilters(index, query);
  const read = async (range: IdRange, scan: number) => {
    const scanned = isNarrowed({ others }) ? scan : roundUp(limit + 1);
    const select = (sql: Sql) => selectOfAccounts(sql, { index, range, others }, scanned, limit + 1);
    return pieceOf(await db.runVariant(select), scanned);
  };
  const { rows, searchedTo } = await searchBack(pace, windowsOf(rangeOf(query), now), limit, read);
  const data = rows.slice(0, limit).map((row) => ({ ...toSummary(row), accountId: row.accountId }));
  return { data, next: nextOf(data, rows.length > limit, searchedTo) };
}

/** Chooses the index that is smallest in most installations, since no counters exist over all accounts. */
function indexOfAllAccounts(filters: DeliverySearch): ListIndex {
  const { event, status } = filters;
  if (wantsFailure(filters)) return { by: "trouble" };
  if (status !== undefined && status !== "delivered") return { by: "status", status };
  if (event !== undefined) return { by: "event", event };
  return status === undefined ? { by: "account" } : { by: "status", status };
}

/**
 * Selects the newest `rows` of all accounts: `select` returns the newest of one account, and of these it takes the newest. Adds
 * the `account_id`. `isAsked` is a condition on the accounts `a` to read.
 */
export function newestOfAccounts(
  sql: Sql,
  select: (account: Fragment) => Fragment,
  rows: number,
  isAsked: Fragment = sql`true`,
): Fragment {
  const end = sql`order by id desc limit ${literal(sql, rows)}`;
  return sql`
    select newest.*, a.id as account_id
    from accounts a cross join lateral (${select(sql`a.id`)} ${end}) newest
    where ${isAsked}
    order by newest.id desc limit ${literal(sql, rows)}
  `;
}

/** SQL: true for accounts `a` with deliveries of the index's event type, by the counters. */
function hasEvent(sql: Sql, index: ListIndex): Fragment {
  if (index.by !== "event") return sql`true`;
  return sql`(
    exists (select from counters n where n.account_id = a.id and n.event = ${index.event})
    or exists (select from counter_deltas n where n.account_id = a.id and n.event = ${index.event})
  )`;
}

type AccountRow = SummaryRow & { accountId: AccountId };

function selectOfAccounts(
  sql: Sql,
  scan: Omit<ListScan, "accountId">,
  rows: number,
  count: number,
): PendingQuery<PieceRow<AccountRow>> {
  const select = (accountId: Fragment) => indexRows(sql, { ...scan, accountId }, rows);
  const others = otherFilters(sql, { ...scan, accountId: sql`c.account_id` });
  const piece = pieceSql(sql, {
    candidates: newestOfAccounts(sql, select, rows, hasEvent(sql, scan.index)),
    chosen: sql`select c.id, c.account_id from c ${others}`,
    count,
    delivery: deliveryById(sql, sql`chosen.account_id`, sql`chosen.id`),
    columns: sql`${summaryColumns(sql)}, d.account_id as "accountId"`,
  });
  return sql<PieceRow<AccountRow>[]>`${piece}`;
}
