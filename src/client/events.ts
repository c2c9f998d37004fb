import type { PostOptions, Transport } from "./transport.ts";
import type { EventResults, NewEvent, PublishedEvent } from "./types.ts";

/** Sends to every endpoint that wants an event. */
export class Events {
  constructor(private readonly http: Transport) {}

  /** A delivery for every active endpoint whose filter the event matches: all of them or none. */
  publish(event: NewEvent, options?: PostOptions): Promise<PublishedEvent> {
    return this.http.call("post", "/v1/events", { body: event }, options);
  }

  /** Up to 1,000, each accepted or refused by itself; the results are in their order. */
  async publishMany(events: NewEvent[], options?: PostOptions): Promise<EventResults> {
    const answer = await this.http.call("post", "/v1/events/batch", { body: { events } }, options);
    return answer as EventResults;
  }
}
