import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { DeliverySummary } from "../deliveries/delivery";
import { SearchPaces } from "../deliveries/lists/search-pace";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import { readDeliveriesOf, readEvent, readMissed } from "./detail";
import type { EventDetail, EventQuery, Missed } from "./event";
import { type EventPage, type EventPosition, readEventPage } from "./list";

/** Reads an account's events. Every method throws `DatabaseUnavailable`. */
export class Events {
  private readonly paces = new SearchPaces();

  constructor(private readonly db: Database) {}

  /** Reads the page after a position, newest first. */
  page(
    accountId: AccountId,
    query: EventQuery & { limit: number; after?: EventPosition | undefined },
  ): Promise<EventPage> {
    return readEventPage(this.db, (payload) => this.paces.of(accountId, { payload }), accountId, query);
  }

  /** Null when the account has no event with this id. */
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
