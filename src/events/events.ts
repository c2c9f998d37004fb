import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { DeliverySummary } from "../deliveries/delivery";
import { ALL_ACCOUNTS_SCAN_SIZES, SearchPaces } from "../deliveries/lists/search-pace";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import { systemClock } from "../runtime/clock";
import { readDeliveriesOf, readEvent, readMissed } from "./detail";
import type { AccountEvent, EventDetail, Missed } from "./event";
import { type AskedEvents, type EventPage, readEventPage, readEventsOfAllAccounts } from "./list";

/** Reads an account's events. Every method throws `DatabaseUnavailable`. */
export class Events {
  private readonly paces = new SearchPaces();

  constructor(private readonly db: Database) {}

  /** Reads the page after a position, newest first. */
  page(accountId: AccountId, query: AskedEvents): Promise<EventPage> {
    return readEventPage(this.db, (payload) => this.paces.of(accountId, { payload }), accountId, query);
  }

  /** Reads a page like `page`, with the account in each event. */
  async ofAccount(accountId: AccountId, query: AskedEvents): Promise<EventPage<AccountEvent>> {
    const { data, next } = await this.page(accountId, query);
    return { data: data.map((each) => ({ ...each, accountId })), next };
  }

  /** Reads a page of the events of all accounts for an administrator, whose searches take turns. */
  ofAllAccounts(admin: AccountId, query: AskedEvents): Promise<EventPage<AccountEvent>> {
    const pace = this.paces.of(admin, query, ALL_ACCOUNTS_SCAN_SIZES);
    return readEventsOfAllAccounts(this.db, pace, query, systemClock.now());
  }

  /** Resolves to null if the account has no event with this id. */
  get(accountId: AccountId, id: EventId): Promise<EventDetail | null> {
    return this.db.run((sql) => readEvent(sql, accountId, id));
  }

  deliveriesOf(
    accountId: AccountId,
    id: EventId,
    asked: PageRequest<DeliveryId>,
  ): Promise<DeliverySummary[]> {
    return this.db.run((sql) => readDeliveriesOf(sql, accountId, id, asked));
  }

  missedBy(accountId: AccountId, id: EventId, asked: PageRequest<EndpointId>): Promise<Missed[]> {
    return this.db.run((sql) => readMissed(sql, accountId, id, asked));
  }
}
