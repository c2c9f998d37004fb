import type { Methods } from "../methods.ts";
import type { PostOptions } from "../transport.ts";
import type { EventResults, NewEvent } from "../types.ts";

/** Sends events to every endpoint that wants them, and reads their deliveries. */
export const eventsOf = ({ http, call, send, find, all, every }: Methods) => ({
  /** Creates a delivery for every endpoint whose filter the event matches: all of them or none. */
  publish: send("post", "/v1/events"),
  /** Sends up to 1,000 events, each accepted or refused by itself. The results have the same order. */
  async publishMany(events: NewEvent[], options?: PostOptions): Promise<EventResults> {
    return (await http.call("post", "/v1/events/batch", { body: { events } }, options)) as EventResults;
  },
  /** Reads an event with its payload, its first deliveries, and the first endpoints without one. */
  get: call("get", "/v1/events/{id}"),
  /** Reads a page of the list, newest first. */
  list: find("/v1/events"),
  /** Reads every event, newest first, page by page. */
  all: all("/v1/events"),
  /** Reads a page of an event's deliveries, the oldest endpoint's first. */
  listDeliveries: find("/v1/events/{id}/deliveries"),
  /** Reads all deliveries of an event, page by page. */
  allDeliveries: every("/v1/events/{id}/deliveries"),
  /** Reads a page of the endpoints that did not get an event, each with the reason. */
  listMissedEndpoints: find("/v1/events/{id}/missed"),
  /** Reads all endpoints that did not get an event, page by page. */
  allMissedEndpoints: every("/v1/events/{id}/missed"),
  /** Erases an event's payload, also from its deliveries and their resends. */
  erasePayload: call("delete", "/v1/events/{id}/payload"),
});
