import type { Methods } from "../methods.ts";
import type { PostOptions, RequestOptions } from "../transport.ts";
import type { CatalogueImportResult, EventTypeWithSchema, SchemaCheck, SchemaVersion } from "../types.ts";

/** Manages event types and their schemas. */
export const eventTypesOf = ({ http, call, send, find, every }: Methods) => ({
  get: call("get", "/v1/event-types/{name}"),
  /** Reads a page, newest first. */
  list: find("/v1/event-types"),
  /** Reads every event type, page by page. */
  all: every("/v1/event-types"),
  /** Writes a type for the payload, in TypeScript, Python, Go or Java. */
  code: find("/v1/event-types/{name}/code"),
  /** Describes an event type. Absent fields stay unchanged; null removes a field. */
  put: send("put", "/v1/event-types/{name}"),
  /** Reads the latest versions of the schema, the newest first. */
  async listSchemaVersions(name: string, options?: RequestOptions): Promise<SchemaVersion[]> {
    const path = "/v1/event-types/{name}/schema/versions";
    return (await http.call("get", path, { path: { name } }, options)).data;
  },
  /** Reads the payloads of the last day that a schema would have refused. */
  checkSchema(name: string, schema: Record<string, unknown>, options?: PostOptions): Promise<SchemaCheck> {
    const input = { path: { name }, body: { schema } };
    return http.call("post", "/v1/event-types/{name}/schema/check", input, options);
  },
  /** Sets the schema. The service then refuses payloads that do not match it. */
  putSchema(
    name: string,
    schema: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<EventTypeWithSchema> {
    const input = { path: { name }, body: { schema } };
    return http.call("put", "/v1/event-types/{name}/schema", input, options);
  },
  deleteSchema: call("delete", "/v1/event-types/{name}/schema"),
  /** Describes event types by an OpenAPI document with webhooks, or an AsyncAPI document. A text is YAML. */
  importCatalogue(
    document: Record<string, unknown> | string,
    options?: PostOptions,
  ): Promise<CatalogueImportResult> {
    const body = typeof document === "string" ? { yaml: document } : { document };
    return http.call("post", "/v1/catalogue/import", { body }, options);
  },
  /** Writes the described event types as an OpenAPI document. */
  exportOpenApi: call("get", "/v1/catalogue/openapi"),
  /** Writes the described event types as an AsyncAPI document. */
  exportAsyncApi: call("get", "/v1/catalogue/asyncapi"),
});
