import type { Reads } from "../../db/database";
import type { Fragment, PendingQuery, Sql } from "../../db/pool";
import { deliveryById } from "../../db/sql/planner";
import type { AccountId, DeliveryId } from "../../domain/ids";
import type { CreatedRange, DeliverySummary } from "../delivery";
import { indexRows, isNarrowed, type ListScan, otherFilters, residualFilters } from "./candidates";
import type { PagePosition } from "./cursor";
import { type IdRange, rangeOf } from "./id-range";
import { literal, roundUp } from "./row-limit";
import type { DeliverySearch } from "./search";
import { type FoundRows, type SearchedPiece, searchBack } from "./search-back";
import type { SearchPaces } from "./search-pace";
import { chooseIndex } from "./selectivity";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./summary";

export type CursorQuery = DeliverySearch &
  CreatedRange & {
    limit: number;
    /** The end of the previous page. */
    after?: PagePosition | undefined;
  };

export type CursorPage = {
  data: DeliverySummary[];
  /** The start of the next page; null if no page follows. */
  next: PagePosition | null;
};

/** Reads a page, newest first. It may have fewer deliveries than the limit, even none, though another page follows. */
export async function readAfter(
  db: Reads,
  paces: SearchPaces,
  accountId: AccountId,
  query: CursorQuery,
): Promise<CursorPage> {
  const index = await db.run((sql) => chooseIndex(sql, accountId, query));
  if (index === null) return { data: [], next: null };
  const { limit } = query;
  const candidates: ListScan = {
    accountId,
    index,
    range: rangeOf(query),
    others: residualFilters(index, query),
  };
  if (isNarrowed(candidates)) {
    const read = (range: IdRange, scan: number) => readPiece(db, { ...candidates, range }, scan, limit + 1);
    const found = await searchBack(paces.of(accountId, query), [candidates.range], limit, read);
    return pageOf(found, limit);
  }
  const rows = await db.runVariant((sql) => selectFirst(sql, candidates, limit + 1));
  return pageOf({ rows, searchedTo: null }, limit);
}

/** Makes a page. Another page follows if more than `limit` rows were found, or if the search stopped at `searchedTo`. */
function pageOf({ rows, searchedTo }: FoundRows<SummaryRow>, limit: number): CursorPage {
  const data = rows.slice(0, limit).map(toSummary);
  return { data, next: nextOf(data, rows.length > limit, searchedTo) };
}

/** Returns the start of the next page: behind the last item if more were found, else where the search stopped. */
export function nextOf(
  shown: readonly { id: DeliveryId }[],
  isFull: boolean,
  searchedTo: string | null,
): PagePosition | null {
  const last = shown.at(-1);
  if (isFull && last) return { before: last.id };
  return searchedTo === null ? null : { before: searchedTo as DeliveryId };
}

function selectFirst(sql: Sql, candidates: ListScan, count: number): PendingQuery<SummaryRow> {
  const { accountId } = candidates;
  const rows = roundUp(count);
  return sql<SummaryRow[]>`
    with chosen as materialized (${indexRows(sql, candidates, rows)} order by id desc limit ${literal(sql, rows)})
    select ${summaryColumns(sql)}
    from chosen cross join lateral ${deliveryById(sql, accountId, sql`chosen.id`)} d
    ${summaryJoins(sql)}
    order by d.id desc
  `;
}

export type PieceRow<Row> = { scanned: number; scannedTo: DeliveryId | null } & (Row | { id: null });

async function readPiece(
  db: Reads,
  candidates: ListScan,
  scan: number,
  count: number,
): Promise<SearchedPiece<SummaryRow>> {
  return pieceOf(await db.runVariant((sql) => selectMatching(sql, candidates, scan, count)), scan);
}

/** Makes a piece of the rows of a statement that read up to `scan` candidates. */
export function pieceOf<Row extends { id: DeliveryId }>(
  rows: PieceRow<Row>[],
  scan: number,
): SearchedPiece<Row> {
  const [first] = rows;
  const isLast = first === undefined || first.scanned < scan;
  return {
    rows: rows.filter((row): row is PieceRow<Row> & Row => row.id !== null),
    scannedTo: isLast ? null : first.scannedTo,
  };
}

function selectMatching(
  sql: Sql,
  candidates: ListScan,
  scan: number,
  count: number,
): PendingQuery<PieceRow<SummaryRow>> {
  const { accountId } = candidates;
  const piece = pieceSql(sql, {
    candidates: sql`${indexRows(sql, candidates, scan)} order by id desc limit ${literal(sql, scan)}`,
    chosen: sql`select c.id from c ${otherFilters(sql, candidates)}`,
    count,
    delivery: deliveryById(sql, accountId, sql`chosen.id`),
    columns: sql`${summaryColumns(sql)}`,
  });
  return sql<PieceRow<SummaryRow>[]>`${piece}`;
}

type PieceParts = {
  /** Selects the candidates `c`. */
  candidates: Fragment;
  /** Selects the candidates that match. */
  chosen: Fragment;
  /** Most deliveries that are listed, newest first. */
  count: number;
  /** Selects the delivery of a chosen id. */
  delivery: Fragment;
  columns: Fragment;
};

/** Selects the matching candidates, with the number of candidates and the last one. */
export function pieceSql(sql: Sql, { candidates, chosen, count, delivery, columns }: PieceParts): Fragment {
  return sql`
    with c as materialized (${candidates}),
    chosen as materialized (${chosen} order by c.id desc limit ${literal(sql, roundUp(count))})
    select piece.*, listed.*
    from (
      select count(*)::integer as scanned, (select id from c order by id limit 1) as "scannedTo" from c
    ) piece
    left join (
      select ${columns} from chosen cross join lateral ${delivery} d ${summaryJoins(sql)}
    ) listed on true
    order by listed.id desc
  `;
}
