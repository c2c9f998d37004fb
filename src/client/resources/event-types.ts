import { itemsOf } from "../pages.ts";
import type { RequestOptions, Transport } from "../transport.ts";
import type { CursorQuery, EventType, EventTypePage } from "../types.ts";
import type { Deleted } from "./endpoints.ts";

/** Manages event types and their schemas. */
export class EventTypes {
  constructor(private readonly http: Transport) {}

  get(name: string, options?: RequestOptions): Promise<EventType> {
    return this.http.call("get", "/v1/event-types/{name}", { path: { name } }, options);
  }

  /** Reads a page, newest first. */
  list(query: CursorQuery = {}, options?: RequestOptions): Promise<EventTypePage> {
    return this.http.call("get", "/v1/event-types", { query }, options);
  }

  /** Reads every event type, page by page. */
  all(options?: RequestOptions): AsyncGenerator<EventType, void, undefined> {
    return itemsOf((cursor) => this.list({ limit: 100, cursor }, options));
  }

  /** Sets the schema. The service then refuses payloads that do not match it. */
  putSchema(name: string, schema: Record<string, unknown>, options?: RequestOptions): Promise<EventType> {
    const input = { path: { name }, body: { schema } };
    return this.http.call("put", "/v1/event-types/{name}/schema", input, options);
  }

  deleteSchema(name: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/event-types/{name}/schema", { path: { name } }, options);
  }
}
