import { eq } from "drizzle-orm";
import { type Database, DatabaseUnavailable, type Reads } from "../db/database";
import type { Sql } from "../db/pool";
import { endpoints } from "../db/schema";
import { eventIdFrom, eventIdSql, payloadOf } from "../db/sql/event-key";
import { unixMs } from "../db/sql/time";
import { typed } from "../db/typed";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, timeOf } from "../domain/ids";
import { systemClock } from "../runtime/clock";
import { attemptsAt } from "./attempts";
import { type BacklogQuery, type EndpointBacklogPage, readBacklog } from "./backlog";
import type { CreatedRange, DeliveryDetail, DeliverySummary } from "./delivery";
import { type AccountDeliveryPage, readOfAllAccounts } from "./lists/all-accounts";
import { filterCount } from "./lists/candidates";
import { type ColdReads, InFiles, MOST_PAGES } from "./lists/cold-reads";
import { COUNT_PAGE, countList, type ListCounts } from "./lists/counting";
import type { PagePosition } from "./lists/cursor";
import { type CursorPage, type CursorQuery, readAfter } from "./lists/cursor-form";
import { type IteratorQuery, type IteratorStep, readNext } from "./lists/iteration";
import { readNextAnywhere } from "./lists/iteration-over-files";
import { type NumberedPage, type PageQuery, readPage, readTotal } from "./lists/page-form";
import { type QueueQuery, readQueue } from "./lists/queue-list";
import type { DeliverySearch } from "./lists/search";
import { ALL_ACCOUNTS_SCAN_SIZES, SearchPaces } from "./lists/search-pace";
import { SearchTurns } from "./lists/search-turns";
import { readSummaries, summaryColumns, summaryJoins } from "./lists/summary";
import { chooseResendable, joinChoices, type ResendChoice, type ResendScope } from "./resendable";
import { readStuckOrders, type StuckOrders } from "./stuck-orders";
import {
  orderPositionOf,
  type PendingFacts,
  readWaiting,
  type WaitingFacts,
  waitingFacts,
  waitingFor,
} from "./waiting";

/** A page within the first deliveries up to this number is read at once. A later page may pass millions of deliveries. */
export const NEAR = 10_000;
/** A page waits for its turn for at most this long. */
export const PAGE_TURN_MS = 10_000;
/** The last delivery that a page by number may have, if older deliveries of the account are in files. */
export const MOST_MERGED = 1_000;

const TOO_FAR =
  "The page reaches too far into deliveries that are in files: use limit and cursor instead of page and per_page";

/** Reads an account's deliveries. Every method throws `DatabaseUnavailable`. */
export class Deliveries {
  private readonly paces = new SearchPaces();

  constructor(
    private readonly db: Database,
    /** Null if all deliveries are in Postgres. */
    private readonly cold: ColdReads | null = null,
    private readonly pageTurns = new SearchTurns(),
  ) {}

  /** Resolves to null if the account has no delivery with this id. */
  async get(accountId: AccountId, id: DeliveryId): Promise<DeliveryDetail | null> {
    const { cold } = this;
    if (cold === null) return readDetail(this.db, accountId, id);
    const found = await cold.one(accountId, id, (reads) => readDetail(reads, accountId, id));
    if (found === null || found.replayOf === null || found.eventId !== null) return found;
    // The event of a resend's original may be in another place than the resend.
    const original = eventIdFrom(found.replayOf);
    const eventId = await cold.one(accountId, original, (reads) => findEvent(reads, accountId, original));
    return { ...found, eventId };
  }

  /**
   * Reads a page by its number, newest first, with the total. Waits for a turn if the page is far from the start, has two
   * filters, or leaves endpoints out, and so may need a search.
   */
  async pageForm(accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
    const { cold } = this;
    if (cold === null) return this.pageInPostgres(accountId, query);
    if (await cold.has(accountId)) return this.pageAnywhere(accountId, query);
    const page = await this.pageInPostgres(accountId, query);
    return (await cold.has(accountId)) ? this.pageAnywhere(accountId, query) : page;
  }

  /** Reads a page near the start of the list, of which a part may be in files. Throws `InFiles` for other pages. */
  private async pageAnywhere(accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
    const { page, perPage, event, status, except } = query;
    const total = await this.db.run((sql) => readTotal(sql, accountId, query));
    const start = (page - 1) * perPage;
    const end = Math.min(start + perPage, total);
    if (start >= total) return { deliveries: [], total };
    if (except !== undefined || end > MOST_MERGED) throw new InFiles(TOO_FAR);
    const newest = await this.newest(accountId, { event, status }, end);
    return { deliveries: newest.slice(start), total };
  }

  /** Reads the newest deliveries, over several pages: one that reads files may be short. Throws `InFiles` if these are too many. */
  private async newest(
    accountId: AccountId,
    filters: Pick<PageQuery, "event" | "status">,
    count: number,
  ): Promise<DeliverySummary[]> {
    const found: DeliverySummary[] = [];
    let after: PagePosition | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = { ...filters, limit: count - found.length, after };
      const { data, next } = await this.cursorForm(accountId, query);
      found.push(...data);
      if (next === null || found.length === count) return found;
      after = next;
    }
    throw new InFiles(TOO_FAR);
  }

  private async pageInPostgres(accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
    const read = () => this.db.run((sql) => readPage(sql, accountId, query));
    const isNear = query.page * query.perPage <= NEAR;
    if (isNear && filterCount(query) < 2 && query.except === undefined) return read();
    const page = await this.pageTurns.of(accountId)(read, AbortSignal.timeout(PAGE_TURN_MS));
    if (page === null)
      throw new DatabaseUnavailable(
        "too many list pages are being read, and this page waited too long for its turn; try again",
      );
    return page;
  }

  /** Reads the page after a position, newest first. */
  cursorForm(accountId: AccountId, query: CursorQuery): Promise<CursorPage> {
    const read = (reads: Reads) => readAfter(reads, this.paces, accountId, query);
    return this.cold?.page({ ...query, accountId, reader: accountId }, read) ?? read(this.db);
  }

  /** Reads a page of all accounts' deliveries, newest first, for an administrator, whose searches take turns. */
  async ofAllAccounts(admin: AccountId, query: CursorQuery): Promise<AccountDeliveryPage> {
    const { endpointId } = query;
    if (endpointId !== undefined) return this.ofEndpoint(endpointId, query);
    const read = (reads: Reads) =>
      readOfAllAccounts(
        reads,
        this.paces.of(admin, query, ALL_ACCOUNTS_SCAN_SIZES),
        query,
        systemClock.now(),
      );
    return this.cold?.page({ ...query, accountId: null, reader: admin }, read) ?? read(this.db);
  }

  /** Reads a page of the account that has, or had, the endpoint. */
  private async ofEndpoint(id: EndpointId, query: CursorQuery): Promise<AccountDeliveryPage> {
    const [owner] = await this.db.run((sql) =>
      typed(sql).select({ accountId: endpoints.accountId }).from(endpoints).where(eq(endpoints.id, id)),
    );
    return owner ? this.ofAccount(owner.accountId, query) : { data: [], next: null };
  }

  /** Reads a page like `cursorForm`, with the account in each delivery. */
  async ofAccount(accountId: AccountId, query: CursorQuery): Promise<AccountDeliveryPage> {
    const { data, next } = await this.cursorForm(accountId, query);
    return { data: data.map((each) => ({ ...each, accountId })), next };
  }

  /** Counts matching deliveries, newest first, for at most a second. Runs one count per account and two in all at a time. */
  async count(accountId: AccountId, query: DeliverySearch & CreatedRange): Promise<ListCounts> {
    const read = (after: PagePosition | undefined) =>
      this.cursorForm(accountId, { ...query, limit: COUNT_PAGE, after });
    const count = () => countList(systemClock, read);
    const counts = await this.pageTurns.of(accountId)(count, AbortSignal.timeout(PAGE_TURN_MS));
    if (counts === null)
      throw new DatabaseUnavailable(
        "too many lists are being counted, and this count waited too long for its turn; try again",
      );
    return counts;
  }

  /** Chooses those of some deliveries that can be resent. Throws `InFiles` if they are in too many files. */
  async resendable(
    accountId: AccountId,
    ids: readonly DeliveryId[],
    scope: ResendScope,
  ): Promise<ResendChoice> {
    const choose = (reads: Reads) => reads.run((sql) => chooseResendable(sql, accountId, ids, scope));
    return this.cold ? joinChoices(await this.cold.each(accountId, ids, choose)) : choose(this.db);
  }

  /** Reads these deliveries, oldest first. Omits deliveries that are no longer stored. */
  summaries(accountId: AccountId, ids: readonly DeliveryId[]): Promise<DeliverySummary[]> {
    return this.db.run((sql) => readSummaries(sql, accountId, ids));
  }

  /** Reads the reasons for which deliveries wait. Omits deliveries that are not pending. */
  async waiting(accountId: AccountId, ids: readonly DeliveryId[]): Promise<Map<DeliveryId, PendingFacts>> {
    return this.waitingAnywhere(ids.map((id) => ({ id, accountId })));
  }

  /** Reads the reasons for which deliveries of any accounts wait. Omits deliveries that are not pending. */
  async waitingAnywhere(
    deliveries: readonly Readonly<{ id: DeliveryId; accountId: AccountId }>[],
  ): Promise<Map<DeliveryId, PendingFacts>> {
    return deliveries.length === 0 ? new Map() : this.db.run((sql) => readWaiting(sql, deliveries));
  }

  /** Reads a page of an endpoint's pending deliveries, in order. Resolves to null if the account has no such endpoint. */
  queueOf(accountId: AccountId, query: QueueQuery): Promise<DeliverySummary[] | null> {
    return this.db.run((sql) => readQueue(sql, accountId, query));
  }

  /** Reads the orders of an endpoint whose first delivery is retried. Resolves to null if the account has no such endpoint. */
  stuckOrders(
    accountId: AccountId,
    query: { endpointId: EndpointId; limit: number },
  ): Promise<StuckOrders | null> {
    return this.db.run((sql) => readStuckOrders(sql, accountId, query));
  }

  /** Reads a page of the endpoints with pending deliveries. */
  backlog(accountId: AccountId, query: BacklogQuery): Promise<EndpointBacklogPage> {
    return this.db.run((sql) => readBacklog(sql, accountId, query));
  }

  /** Reads the deliveries after a position, oldest first, without gaps. */
  iterate(accountId: AccountId, query: IteratorQuery): Promise<IteratorStep> {
    const { db, cold, paces } = this;
    if (cold === null) return readNext(db, paces, accountId, query);
    return readNextAnywhere({ db, cold, paces }, accountId, query);
  }
}

type DetailRow = Omit<DeliveryDetail, "createdAt" | "waitingFor"> & { waiting: WaitingFacts | null };

/** Reads a delivery with all its details. Resolves to null if the account has no delivery with this id. */
export async function readDetail(
  db: Reads,
  accountId: AccountId,
  id: DeliveryId,
): Promise<DeliveryDetail | null> {
  const [row] = await db.run((sql) => selectDetail(sql, accountId, id));
  if (!row) return null;
  const { waiting, ...rest } = row;
  return { ...rest, createdAt: timeOf(id), waitingFor: waiting && waitingFor(waiting) };
}

// One statement, so that the attempts and their count are from the same moment.
function selectDetail(sql: Sql, accountId: AccountId, id: DeliveryId): Promise<DetailRow[]> {
  return sql<DetailRow[]>`
    select ${summaryColumns(sql)}, ${payloadOf(sql, "d")} as data, d.replay_of as "replayOf",
      d.event_external_id as "eventExternalId",
      (
        select v.id from events v
        where v.account_id = d.account_id and v.id = ${sql.unsafe(eventIdSql("coalesce(d.replay_of, d.id)"))}
      ) as "eventId",
      (
        select ${unixMs(sql, "e.erased_at")} from erasures e where e.delivery_id = d.id
      ) as "erasedAt",
      ${unixMs(sql, "d.due_at")} as "dueAt",
      ${unixMs(sql, "q.next_attempt_at")} as "nextAttemptAt",
      ${waitingFacts(sql)} as waiting, ${orderPositionOf(sql)} as place,
      (
        select coalesce(json_agg(json_build_object(
            'attempt', a.attempt,
            'isPulled', a.exchange is null,
            'status', a.status,
            'error', a.error,
            'errorDetail', a.error_detail,
            'location', a.location,
            'startedAt', ${unixMs(sql, "a.started_at")},
            'durationMs', a.duration_ms,
            'responseBody', a.response_body,
            'exchange', a.exchange
          ) order by a.attempt), '[]'::json)
        from ${attemptsAt(sql, sql`d.id`, sql`d.endpoint_id`)} a
      ) as attempts
    from deliveries d
    ${summaryJoins(sql)}
    where d.id = ${id} and d.account_id = ${accountId}
  `;
}

/** Resolves to the event's id; null if it is not there. */
async function findEvent(reads: Reads, accountId: AccountId, id: EventId): Promise<EventId | null> {
  const [row] = await reads.run(
    (sql) => sql<{ id: EventId }[]>`select id from events where account_id = ${accountId} and id = ${id}`,
  );
  return row?.id ?? null;
}
