import type { Database } from "../db/database";
import type { Fragment, Query, Sql } from "../db/pool";
import { isOfEvent } from "../db/sql/delivery-key";
import { AFTER_ALL_IDS } from "../deliveries/lists/cursor";
import { type IdRange, within } from "../deliveries/lists/id-range";
import { literal, roundUp } from "../deliveries/lists/row-limit";
import { payloadMatches } from "../deliveries/lists/search";
import type { SearchPace } from "../deliveries/lists/search-pace";
import { type AccountId, type EventId, leastIdAt } from "../domain/ids";
import type { EventQuery, EventSummary } from "./event";

/** Where a page of the list ended: the next page starts before this event. */
export type EventPosition = { before: EventId };

export type EventPage = { data: EventSummary[]; next: EventPosition | null };

type Row = EventSummary & { isMatch: boolean };
type Asked = EventQuery & { limit: number; after?: EventPosition | undefined };

/** Reads a page, newest first. A search may find fewer events than the limit, even none, though another page follows. */
export async function readEventPage(
  db: Database,
  paceOf: (payload: NonNullable<EventQuery["payload"]>) => SearchPace,
  accountId: AccountId,
  asked: Asked,
): Promise<EventPage> {
  const { limit, payload } = asked;
  let range = rangeOf(asked);
  const read = (rows: number) => db.runVariant((sql) => selectEvents(sql, accountId, asked, range, rows));
  if (payload === undefined) return pageOf(await read(roundUp(limit + 1)), limit, null);
  const pace = paceOf(payload);
  const found: Row[] = [];
  for (;;) {
    const piece = await pace.piece(async (scan) => ({ scan, rows: await read(scan) }));
    if (piece === null) return pageOf(found, limit, positionOf(range));
    const { rows, scan } = piece;
    found.push(...rows.filter(({ isMatch }) => isMatch));
    const last = rows.at(-1);
    if (found.length > limit || last === undefined || rows.length < scan) return pageOf(found, limit, null);
    if (pace.isOver) return pageOf(found, limit, { before: last.id });
    range = { ...range, before: last.id };
  }
}

function rangeOf({ createdFrom, createdBefore, after }: Asked): IdRange {
  const from = createdFrom === undefined ? undefined : leastIdAt(createdFrom);
  const end = createdBefore === undefined ? AFTER_ALL_IDS : leastIdAt(createdBefore);
  return { from, before: after && after.before < end ? after.before : end };
}

function positionOf({ before = AFTER_ALL_IDS }: IdRange): EventPosition {
  return { before: before as string as EventId };
}

/** Makes a page. `rows` has more than `limit` if there are more. `searchedTo`: there may be more from there on. */
function pageOf(rows: readonly Row[], limit: number, searchedTo: EventPosition | null): EventPage {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next: rows.length > limit && last ? { before: last.id } : searchedTo };
}

function selectEvents(
  sql: Sql,
  accountId: AccountId,
  { event, externalId, payload }: EventQuery,
  range: IdRange,
  rows: number,
): Query<Row> {
  const isWanted: Fragment = payload === undefined ? sql`true` : payloadMatches(sql, payload, sql`i.data`);
  return sql<Row[]>`
    select ${eventColumns(sql)}, ${isWanted} as "isMatch"
    from events i
    where i.account_id = ${accountId} ${within(sql, range, "i.id")}
      ${event === undefined ? sql`` : sql`and ${isOfEvent(sql, "i", event)}`}
      ${externalId === undefined ? sql`` : sql`and i.external_id = ${externalId}`}
    order by i.id desc limit ${literal(sql, rows)}
  `;
}

/** The columns of an `EventSummary`, over `i` of events. */
export function eventColumns(sql: Sql): Fragment {
  return sql`
    i.id, i.event, i.ordering_key as "orderingKey", i.external_id as "externalId", i.delivery_count as "deliveryCount"
  `;
}
