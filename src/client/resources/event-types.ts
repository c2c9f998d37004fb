import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type {
  CatalogueImportResult,
  CursorQuery,
  EventType,
  EventTypeDescription,
  EventTypePage,
  EventTypeWithSchema,
  SchemaCheck,
  SchemaVersion,
} from "../types.ts";
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

  /** Describes an event type. Absent fields stay unchanged; null removes a field. */
  put(name: string, description: EventTypeDescription, options?: RequestOptions): Promise<EventType> {
    return this.http.call("put", "/v1/event-types/{name}", { path: { name }, body: description }, options);
  }

  /** Reads the latest versions of the schema, the newest first. */
  async versions(name: string, options?: RequestOptions): Promise<SchemaVersion[]> {
    const path = "/v1/event-types/{name}/schema/versions";
    return (await this.http.call("get", path, { path: { name } }, options)).data;
  }

  /** Reads the payloads of the last day that a schema would have refused. */
  checkSchema(name: string, schema: Record<string, unknown>, options?: PostOptions): Promise<SchemaCheck> {
    const input = { path: { name }, body: { schema } };
    return this.http.call("post", "/v1/event-types/{name}/schema/check", input, options);
  }

  /** Sets the schema. The service then refuses payloads that do not match it. */
  putSchema(
    name: string,
    schema: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<EventTypeWithSchema> {
    const input = { path: { name }, body: { schema } };
    return this.http.call("put", "/v1/event-types/{name}/schema", input, options);
  }

  deleteSchema(name: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/event-types/{name}/schema", { path: { name } }, options);
  }

  /** Describes event types by an OpenAPI 3.1 document with `webhooks`, or an AsyncAPI 3 document. */
  import(document: Record<string, unknown>, options?: PostOptions): Promise<CatalogueImportResult> {
    return this.http.call("post", "/v1/catalogue/import", { body: { document } }, options);
  }

  /** Writes the described event types as a document. */
  export(format: "openapi" | "asyncapi", options?: RequestOptions): Promise<Record<string, unknown>> {
    return this.http.call("get", `/v1/catalogue/${format}`, {}, options);
  }
}
