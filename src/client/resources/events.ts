import type { PostOptions, Transport } from "../transport.ts";
import type { EventResults, NewEvent, PublishedEvent } from "../types.ts";

/** Sends events to every endpoint that wants them. */
export class Events {
  constructor(private readonly http: Transport) {}

  /** A delivery for every active endpoint whose filter the event matches: all of them or none. */
  publish(event: NewEvent, options?: PostOptions): Promise<PublishedEvent> {
    return this.http.call("post", "/v1/events", { body: event }, options);
  }

  /** Sends up to 1,000 events, each accepted or refused by itself. The results have the same order. */
  async publishMany(events: NewEvent[], options?: PostOptions): Promise<EventResults> {
    const answer = await this.http.call("post", "/v1/events/batch", { body: { events } }, options);
    return answer as EventResults;
  }
}
