import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type {
  AcceptedDelivery,
  CreatedEndpoint,
  CursorQuery,
  Endpoint,
  EndpointChanges,
  EndpointPage,
  EndpointQuery,
  EndpointSettings,
  EndpointStats,
  FilterTest,
  FilterTestResult,
  NewEndpoint,
  QueuePage,
  QueueQuery,
  RetriedEndpoint,
  RotatedSecret,
  SecretRotation,
  TestEvent,
} from "../types.ts";

export type Deleted = { deleted: boolean };

/** Manages the receivers of webhooks. */
export class Endpoints {
  constructor(private readonly http: Transport) {}

  /** Registers an endpoint. Only this answer has the signing secret. */
  create(endpoint: NewEndpoint, options?: PostOptions): Promise<CreatedEndpoint> {
    return this.http.call("post", "/v1/endpoints", { body: endpoint }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Endpoint> {
    return this.http.call("get", "/v1/endpoints/{id}", { path: { id } }, options);
  }

  /** Reads a page, newest first. */
  list(query: CursorQuery & EndpointQuery = {}, options?: RequestOptions): Promise<EndpointPage> {
    // Without `limit` and `cursor` the API would return an array of all endpoints.
    const paged = { ...query, limit: query.limit ?? 20 };
    return this.http.call("get", "/v1/endpoints", { query: paged }, options);
  }

  /** Reads a page of an endpoint's pending deliveries, in order. */
  queue(id: string, query: QueueQuery = {}, options?: RequestOptions): Promise<QueuePage> {
    return this.http.call("get", "/v1/endpoints/{id}/queue", { path: { id }, query }, options);
  }

  /** Reads every endpoint, page by page. */
  all(query: EndpointQuery = {}, options?: RequestOptions): AsyncGenerator<Endpoint, void, undefined> {
    return itemsOf((cursor) => this.list({ ...query, limit: 100, cursor }, options));
  }

  /**
   * Creates the endpoint with this external id, or changes it. Absent fields stay unchanged. Only the answer to a creation has the
   * signing secret, and a retry repeats it. Other methods accept `~` and the external id in place of an id.
   */
  put(
    externalId: string,
    endpoint: EndpointSettings,
    options?: PostOptions,
  ): Promise<Endpoint | CreatedEndpoint> {
    const input = { path: { id: `~${externalId}` }, body: endpoint };
    // Without a key, a retry after a lost answer would change the new endpoint, and its secret would be lost.
    const keyed = { idempotencyKey: crypto.randomUUID(), ...options };
    return this.http.call("put", "/v1/endpoints/{id}", input, keyed);
  }

  /** Changes an endpoint. Absent fields stay unchanged. */
  update(id: string, changes: EndpointChanges, options?: RequestOptions): Promise<Endpoint> {
    return this.http.call("patch", "/v1/endpoints/{id}", { path: { id }, body: changes }, options);
  }

  /** Deletes an endpoint and cancels its pending deliveries. */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/endpoints/{id}", { path: { id } }, options);
  }

  /** Reads an endpoint's rates, latencies and backlog. */
  stats(id: string, options?: RequestOptions): Promise<EndpointStats> {
    return this.http.call("get", "/v1/endpoints/{id}/stats", { path: { id } }, options);
  }

  /** Attempts now the deliveries that wait for a retry. */
  retry(id: string, options?: PostOptions): Promise<RetriedEndpoint> {
    return this.http.call("post", "/v1/endpoints/{id}/retry", { path: { id } }, options);
  }

  /** Sends a sample event, `hermod.test`, like any webhook. `data`, or the example of `event`, replaces the sample. */
  test(id: string, { data, event, ...options }: PostOptions & TestEvent = {}): Promise<AcceptedDelivery> {
    const input = { path: { id }, body: { data, event } };
    return this.http.call("post", "/v1/endpoints/{id}/test", input, options);
  }

  /** Reads the kept events, and whether the endpoint would have got each with its filter or with `filter`. */
  testFilter(id: string, test: FilterTest = {}, options?: PostOptions): Promise<FilterTestResult> {
    return this.http.call("post", "/v1/endpoints/{id}/filter/test", { path: { id }, body: test }, options);
  }

  /**
   * Replaces the signing secret, by a new one unless you give one. The old secret also signs for `overlap` seconds, a day by
   * default.
   */
  rotateSecret(id: string, rotation: SecretRotation = {}, options?: PostOptions): Promise<RotatedSecret> {
    const input = { path: { id }, body: rotation };
    return this.http.call("post", "/v1/endpoints/{id}/rotate-secret", input, options);
  }
}
