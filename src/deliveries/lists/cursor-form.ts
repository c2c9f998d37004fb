import type { Database } from "../../db/database";
import type { Query, Sql } from "../../db/pool";
import { deliveryById } from "../../db/sql/delivery-key";
import { type AccountId, type DeliveryId, leastIdAt } from "../../domain/ids";
import type { CreatedRange, DeliverySearch, DeliverySummary } from "../delivery";
import { driverRows, isNarrowed, type ListScan, otherFilters, residualFilters } from "./candidates";
import { AFTER_ALL_IDS, type PagePosition } from "./cursor";
import type { IdRange } from "./id-range";
import { literal, roundUp } from "./row-limit";
import type { SearchPace, SearchPaces } from "./search-pace";
import { chooseDriver } from "./selectivity";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./summary";

export type CursorQuery = DeliverySearch &
  CreatedRange & {
    limit: number;
    /** Where the previous page ended. */
    after?: PagePosition | undefined;
  };

export type CursorPage = {
  data: DeliverySummary[];
  /** Null when no page follows. */
  next: PagePosition | null;
};

/** Reads a page, newest first. It may have fewer deliveries than the limit, even none, though another page follows. */
export async function readAfter(
  db: Database,
  paces: SearchPaces,
  accountId: AccountId,
  query: CursorQuery,
): Promise<CursorPage> {
  const driver = await db.run((sql) => chooseDriver(sql, accountId, query));
  if (driver === null) return { data: [], next: null };
  const { limit } = query;
  const candidates: ListScan = {
    accountId,
    driver,
    range: rangeOf(query),
    others: residualFilters(driver, query),
  };
  if (isNarrowed(candidates)) return search(db, paces.of(accountId, query), candidates, limit);
  const rows = await db.runVariant((sql) => selectFirst(sql, candidates, limit + 1));
  return pageOf(rows, limit, null);
}

/** Always sets an end, so a list's first page and later pages are the same statement. */
function rangeOf({ createdFrom, createdBefore, after }: CursorQuery): IdRange {
  const from = createdFrom === undefined ? undefined : leastIdAt(createdFrom);
  const end = createdBefore === undefined ? AFTER_ALL_IDS : leastIdAt(createdBefore);
  return { from, before: after && after.before < end ? after.before : end };
}

/** Looks through the driver's candidates piece by piece. */
async function search(
  db: Database,
  pace: SearchPace,
  candidates: ListScan,
  limit: number,
): Promise<CursorPage> {
  const found: SummaryRow[] = [];
  let { range } = candidates;
  for (;;) {
    const piece = await pace.piece((scan) => readPiece(db, { ...candidates, range }, scan, limit + 1));
    if (piece === null) return pageOf(found, limit, positionOf(range));
    found.push(...piece.rows);
    if (found.length > limit || piece.scannedTo === null) return pageOf(found, limit, null);
    if (pace.isOver) return pageOf(found, limit, { before: piece.scannedTo });
    range = { ...range, before: piece.scannedTo };
  }
}

function positionOf({ before = AFTER_ALL_IDS }: IdRange): PagePosition {
  return { before: before as DeliveryId };
}

/** Makes a page. `rows` has more than `limit` if there are more. `searchedTo`: there may be more from there on. */
function pageOf(rows: SummaryRow[], limit: number, searchedTo: PagePosition | null): CursorPage {
  const data = rows.slice(0, limit).map(toSummary);
  const last = data.at(-1);
  return { data, next: rows.length > limit && last ? { before: last.id } : searchedTo };
}

function selectFirst(sql: Sql, candidates: ListScan, count: number): Query<SummaryRow> {
  const { accountId } = candidates;
  const rows = roundUp(count);
  return sql<SummaryRow[]>`
    with chosen as materialized (${driverRows(sql, candidates, rows)} order by id desc limit ${literal(sql, rows)})
    select ${summaryColumns(sql)}
    from chosen cross join lateral ${deliveryById(sql, accountId, sql`chosen.id`)} d
    ${summaryJoins(sql)}
    order by d.id desc
  `;
}

type Piece = {
  rows: SummaryRow[];
  /** The oldest candidate looked at; null when there are no more. */
  scannedTo: DeliveryId | null;
};

type PieceRow = { scanned: number; scannedTo: DeliveryId | null } & (SummaryRow | { id: null });

async function readPiece(db: Database, candidates: ListScan, scan: number, count: number): Promise<Piece> {
  const rows = await db.runVariant((sql) => selectMatching(sql, candidates, scan, count));
  const [first] = rows;
  const isLast = first === undefined || first.scanned < scan;
  return { rows: rows.filter(isListed), scannedTo: isLast ? null : first.scannedTo };
}

function selectMatching(sql: Sql, candidates: ListScan, scan: number, count: number): Query<PieceRow> {
  const { accountId } = candidates;
  return sql<PieceRow[]>`
    with c as materialized (${driverRows(sql, candidates, scan)} order by id desc limit ${literal(sql, scan)}),
    chosen as materialized (
      select c.id from c ${otherFilters(sql, candidates)}
      order by c.id desc limit ${literal(sql, roundUp(count))}
    )
    select piece.*, listed.*
    from (
      select count(*)::integer as scanned, (select id from c order by id limit 1) as "scannedTo" from c
    ) piece
    left join (
      select ${summaryColumns(sql)}
      from chosen cross join lateral ${deliveryById(sql, accountId, sql`chosen.id`)} d
      ${summaryJoins(sql)}
    ) listed on true
    order by listed.id desc
  `;
}

function isListed<T extends { id: string | null }>(row: T): row is T & SummaryRow {
  return row.id !== null;
}
