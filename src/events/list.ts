import type { Reads } from "../db/database";
import type { Fragment, PendingQuery, Sql } from "../db/pool";
import { type AccountRef, isOfEvent } from "../db/sql/planner";
import { newestOfAccounts } from "../deliveries/lists/all-accounts";
import { type IdRange, rangeOf, within, withinOfEvent } from "../deliveries/lists/id-range";
import { literal, roundUp } from "../deliveries/lists/row-limit";
import { payloadMatches } from "../deliveries/lists/search";
import { type FoundRows, searchBack, windowsOf } from "../deliveries/lists/search-back";
import type { SearchPace } from "../deliveries/lists/search-pace";
import type { AccountId, EventId } from "../domain/ids";
import type { AccountEvent, EventQuery, EventSummary } from "./event";

/** The end of a page. The next page starts before this event. */
export type EventPosition = { before: EventId };

export type EventPage<Item = EventSummary> = { data: Item[]; next: EventPosition | null };

type SearchedEvent = EventSummary & { isMatch: boolean };
export type AskedEvents = EventQuery & { limit: number; after?: EventPosition | undefined };

/** Reads a page, newest first. A search may find fewer events than the limit, even none, though another page follows. */
export async function readEventPage(
  db: Reads,
  paceOf: (payload: NonNullable<EventQuery["payload"]>) => SearchPace,
  accountId: AccountId,
  asked: AskedEvents,
): Promise<EventPage> {
  const { limit, payload } = asked;
  const read = (range: IdRange, rows: number) =>
    db.runVariant((sql) => selectEvents(sql, accountId, asked, range, rows));
  if (payload !== undefined) {
    const found = await searchBack(paceOf(payload), [rangeOf(asked)], limit, piecesOf(read));
    return pageOf(found, limit);
  }
  return pageOf({ rows: await read(rangeOf(asked), roundUp(limit + 1)), searchedTo: null }, limit);
}

/** Reads a page of the events of all accounts. The cost grows with the number of accounts. */
export async function readEventsOfAllAccounts(
  db: Reads,
  pace: SearchPace,
  asked: AskedEvents,
  now: number,
): Promise<EventPage<AccountEvent>> {
  const { limit, payload } = asked;
  const read = (range: IdRange, rows: number) =>
    db.runVariant((sql) => selectOfAllAccounts(sql, asked, range, rows));
  const scanned = (scan: number) => (payload === undefined ? roundUp(limit + 1) : scan);
  const found = await searchBack(pace, windowsOf(rangeOf(asked), now), limit, piecesOf(read, scanned));
  return pageOf(found, limit);
}

function piecesOf<R extends SearchedEvent>(
  read: (range: IdRange, rows: number) => PromiseLike<R[]>,
  scanned = (scan: number) => scan,
) {
  return async (range: IdRange, scan: number) => {
    const rows = await read(range, scanned(scan));
    const last = rows.length < scanned(scan) ? undefined : rows.at(-1);
    return { rows: rows.filter(({ isMatch }) => isMatch), scannedTo: last?.id ?? null };
  };
}

/** Makes a page. Another page follows if more than `limit` were found, or if the search stopped at `searchedTo`. */
function pageOf<R extends SearchedEvent>({ rows, searchedTo }: FoundRows<R>, limit: number): EventPage<R> {
  const data = rows.slice(0, limit);
  const before = rows.length > limit ? data.at(-1)?.id : searchedTo;
  return { data, next: before ? { before: before as EventId } : null };
}

function selectEvents(
  sql: Sql,
  accountId: AccountId,
  query: EventQuery,
  range: IdRange,
  rows: number,
): PendingQuery<SearchedEvent> {
  const candidates: Fragment = sql`
    select i.id from events i where ${isCandidate(sql, accountId, query, range)}
    order by i.id desc limit ${literal(sql, rows)}
  `;
  return sql<SearchedEvent[]>`
    with c as materialized (${candidates})
    select ${eventColumns(sql)}, ${isWantedBy(sql, query, sql`i.data`)} as "isMatch"
    from c cross join lateral ${eventById(sql, accountId)} i
    order by i.id desc
  `;
}

/** Selects the event of a candidate `c`. Candidates are found in an index alone, whose order no other index can replace. */
function eventById(sql: Sql, account: AccountRef): Fragment {
  return sql`(select * from events e where e.account_id = ${account} and e.id = c.id limit 1)`;
}

function selectOfAllAccounts(
  sql: Sql,
  query: EventQuery,
  range: IdRange,
  rows: number,
): PendingQuery<SearchedEvent & AccountEvent> {
  const ids = (account: Fragment): Fragment =>
    sql`select i.id from events i where ${isCandidate(sql, account, query, range)}`;
  return sql<(SearchedEvent & AccountEvent)[]>`
    with c as materialized (${newestOfAccounts(sql, ids, rows)})
    select ${eventColumns(sql)}, c.account_id as "accountId", ${isWantedBy(sql, query, sql`i.data`)} as "isMatch"
    from c cross join lateral ${eventById(sql, sql`c.account_id`)} i
    order by i.id desc
  `;
}

function isWantedBy(sql: Sql, { payload }: EventQuery, data: Fragment): Fragment {
  return payload === undefined ? sql`true` : payloadMatches(sql, payload, data);
}

/** Continues `where`: an event `i` of an account that the indexes find. */
function isCandidate(
  sql: Sql,
  account: AccountRef,
  { event, externalId }: EventQuery,
  range: IdRange,
): Fragment {
  const isInRange: Fragment =
    event === undefined
      ? within(sql, range, "i.id")
      : sql`and ${isOfEvent(sql, "i", event)} ${withinOfEvent(sql, range, "i", event)}`;
  return sql`
    i.account_id = ${account} ${isInRange}
      ${externalId === undefined ? sql`` : sql`and i.external_id = ${externalId}`}
  `;
}

/** The columns of an `EventSummary`, over `i` of events. */
export function eventColumns(sql: Sql): Fragment {
  return sql`
    i.id, i.event, i.ordering_key as "orderingKey", i.external_id as "externalId", i.delivery_count as "deliveryCount"
  `;
}
