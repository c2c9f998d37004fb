import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type {
  CursorQuery,
  Delivery,
  Erased,
  Event,
  EventDeliveries,
  EventDetail,
  EventPage,
  EventQuery,
  EventResults,
  MissedEvent,
  MissedEventPage,
  NewEvent,
  PublishedEvent,
} from "../types.ts";

/** Sends events to every endpoint that wants them, and reads their deliveries. */
export class Events {
  constructor(private readonly http: Transport) {}

  /** Creates a delivery for every endpoint whose filter the event matches: all of them or none. */
  publish(event: NewEvent, options?: PostOptions): Promise<PublishedEvent> {
    return this.http.call("post", "/v1/events", { body: event }, options);
  }

  /** Sends up to 1,000 events, each accepted or refused by itself. The results have the same order. */
  async publishMany(events: NewEvent[], options?: PostOptions): Promise<EventResults> {
    const answer = await this.http.call("post", "/v1/events/batch", { body: { events } }, options);
    return answer as EventResults;
  }

  /** Reads an event with its payload, its first deliveries, and the first endpoints without one. */
  get(id: string, options?: RequestOptions): Promise<EventDetail> {
    return this.http.call("get", "/v1/events/{id}", { path: { id } }, options);
  }

  /** Reads a page of the list, newest first. */
  list(query: EventQuery & { cursor?: string } = {}, options?: RequestOptions): Promise<EventPage> {
    return this.http.call("get", "/v1/events", { query }, options);
  }

  /** Reads every event, newest first, page by page. */
  all(query: EventQuery = {}, options?: RequestOptions): AsyncGenerator<Event, void, undefined> {
    return itemsOf((cursor) => this.list({ ...query, limit: query.limit ?? 100, cursor }, options));
  }

  /** Reads a page of an event's deliveries, the oldest endpoint's first. */
  listDeliveries(id: string, query: CursorQuery = {}, options?: RequestOptions): Promise<EventDeliveries> {
    return this.http.call("get", "/v1/events/{id}/deliveries", { path: { id }, query }, options);
  }

  /** Reads all deliveries of an event, page by page. */
  deliveries(id: string, options?: RequestOptions): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((cursor) => this.listDeliveries(id, { limit: 100, cursor }, options));
  }

  /** Reads a page of the endpoints that did not get an event, each with the reason. */
  listMissed(id: string, query: CursorQuery = {}, options?: RequestOptions): Promise<MissedEventPage> {
    return this.http.call("get", "/v1/events/{id}/missed", { path: { id }, query }, options);
  }

  /** Reads all endpoints that did not get an event, page by page. */
  missed(id: string, options?: RequestOptions): AsyncGenerator<MissedEvent, void, undefined> {
    return itemsOf((cursor) => this.listMissed(id, { limit: 100, cursor }, options));
  }

  /** Erases an event's payload, also from its deliveries and their resends. */
  erasePayload(id: string, options?: RequestOptions): Promise<Erased> {
    return this.http.call("delete", "/v1/events/{id}/payload", { path: { id } }, options);
  }
}
