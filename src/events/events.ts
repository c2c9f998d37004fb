import type { Database, Reads } from "../db/database";
import type { PageRequest } from "../db/page";
import type { Sql } from "../db/pool";
import type { DeliverySummary } from "../deliveries/delivery";
import type { ColdList, ColdReads } from "../deliveries/lists/cold-reads";
import { ALL_ACCOUNTS_SCAN_SIZES, SearchPaces } from "../deliveries/lists/search-pace";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import { systemClock } from "../runtime/clock";
import { readDeliveriesOf, readEvent, readMissed } from "./detail";
import type { AccountEvent, EventDetail, Missed } from "./event";
import { type AskedEvents, type EventPage, readEventPage, readEventsOfAllAccounts } from "./list";

/** Reads an account's events. Every method throws `DatabaseUnavailable`. */
export class Events {
  private readonly paces = new SearchPaces();

  constructor(
    private readonly db: Database,
    /** Null if all events are in Postgres. */
    private readonly cold: ColdReads | null = null,
  ) {}

  /** Reads the page after a position, newest first. */
  page(accountId: AccountId, query: AskedEvents): Promise<EventPage> {
    const read = (reads: Reads) =>
      readEventPage(reads, (payload) => this.paces.of(accountId, { payload }), accountId, query);
    return this.cold?.page(listOf(query, accountId, accountId), read) ?? read(this.db);
  }

  /** Reads a page like `page`, with the account in each event. */
  async ofAccount(accountId: AccountId, query: AskedEvents): Promise<EventPage<AccountEvent>> {
    const { data, next } = await this.page(accountId, query);
    return { data: data.map((each) => ({ ...each, accountId })), next };
  }

  /** Reads a page of the events of all accounts for an administrator, whose searches take turns. */
  ofAllAccounts(admin: AccountId, query: AskedEvents): Promise<EventPage<AccountEvent>> {
    const read = (reads: Reads) =>
      readEventsOfAllAccounts(
        reads,
        this.paces.of(admin, query, ALL_ACCOUNTS_SCAN_SIZES),
        query,
        systemClock.now(),
      );
    return this.cold?.page(listOf(query, null, admin), read) ?? read(this.db);
  }

  /** Resolves to null if the account has no event with this id. */
  get(accountId: AccountId, id: EventId): Promise<EventDetail | null> {
    return this.ofEvent(accountId, id, (sql) => readEvent(sql, accountId, id));
  }

  async deliveriesOf(
    accountId: AccountId,
    id: EventId,
    asked: PageRequest<DeliveryId>,
  ): Promise<DeliverySummary[]> {
    const read = (sql: Sql) => readDeliveriesOf(sql, accountId, id, asked);
    return (await this.ofEvent(accountId, id, async (sql) => unlessEmpty(await read(sql)))) ?? [];
  }

  async missedBy(accountId: AccountId, id: EventId, asked: PageRequest<EndpointId>): Promise<Missed[]> {
    const read = (sql: Sql) => readMissed(sql, accountId, id, asked);
    return (await this.ofEvent(accountId, id, async (sql) => unlessEmpty(await read(sql)))) ?? [];
  }

  /** Reads something of an event where the event is. `read` resolves to null elsewhere. */
  private ofEvent<T>(
    accountId: AccountId,
    id: EventId,
    read: (sql: Sql) => Promise<T | null>,
  ): Promise<T | null> {
    const readIn = (reads: Reads) => reads.run(read);
    return this.cold?.one(accountId, id, readIn) ?? readIn(this.db);
  }
}

/** Counters of blocks are of deliveries, so they choose no block for a list of events. */
function listOf(
  { createdFrom, createdBefore, after, limit }: AskedEvents,
  accountId: AccountId | null,
  reader: AccountId,
): ColdList {
  return { createdFrom, createdBefore, after, limit, accountId, reader };
}

function unlessEmpty<T>(found: T[]): T[] | null {
  return found.length === 0 ? null : found;
}
