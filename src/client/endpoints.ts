import { itemsOf } from "./pages.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";
import type {
  AcceptedDelivery,
  CreatedEndpoint,
  CursorQuery,
  Endpoint,
  EndpointChanges,
  EndpointPage,
  EndpointSettings,
  EndpointStats,
  NewEndpoint,
  RotatedSecret,
  SecretRotation,
  TestEvent,
} from "./types.ts";

export type Deleted = { deleted: boolean };

/** Only endpoints in this state. */
export type HealthQuery = { health?: Endpoint["health"]["state"] | undefined };

/** Where webhooks go. */
export class Endpoints {
  constructor(private readonly http: Transport) {}

  /** The answer has the signing secret, this one time. */
  create(endpoint: NewEndpoint, options?: PostOptions): Promise<CreatedEndpoint> {
    return this.http.call("post", "/v1/endpoints", { body: endpoint }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Endpoint> {
    return this.http.call("get", "/v1/endpoints/{id}", { path: { id } }, options);
  }

  /** A page, newest first. */
  async list(query: CursorQuery & HealthQuery = {}, options?: RequestOptions): Promise<EndpointPage> {
    // Without any of the two the list is an array of all.
    const paged = query.limit === undefined && query.cursor === undefined ? { ...query, limit: 20 } : query;
    const answer = await this.http.call("get", "/v1/endpoints", { query: paged }, options);
    return "data" in answer ? answer : { data: answer, cursor: null };
  }

  /** Every endpoint, read page by page. */
  all(query: HealthQuery = {}, options?: RequestOptions): AsyncGenerator<Endpoint, void, undefined> {
    return itemsOf((cursor) => this.list({ ...query, limit: 100, cursor }, options));
  }

  /**
   * Creates the endpoint with this external id, or changes it: fields that are left out stay as they are. The answer to a
   * creation has the signing secret, this one time. Other methods take `~` and the external id in the place of an id.
   */
  put(
    externalId: string,
    endpoint: EndpointSettings,
    options?: RequestOptions,
  ): Promise<Endpoint | CreatedEndpoint> {
    const input = { path: { id: `~${externalId}` }, body: endpoint };
    return this.http.call("put", "/v1/endpoints/{id}", input, options);
  }

  /** Fields that are left out stay as they are. */
  update(id: string, changes: EndpointChanges, options?: RequestOptions): Promise<Endpoint> {
    return this.http.call("patch", "/v1/endpoints/{id}", { path: { id }, body: changes }, options);
  }

  /** Its pending deliveries are cancelled. */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/endpoints/{id}", { path: { id } }, options);
  }

  /** Its rates, latencies and backlog. */
  stats(id: string, options?: RequestOptions): Promise<EndpointStats> {
    return this.http.call("get", "/v1/endpoints/{id}/stats", { path: { id } }, options);
  }

  /** Sends it a sample event, `hermod.test`, the way that all webhooks go; `data` takes the sample's place. */
  test(id: string, { data, ...options }: PostOptions & TestEvent = {}): Promise<AcceptedDelivery> {
    const input = { path: { id }, ...(data && { body: { data } }) };
    return this.http.call("post", "/v1/endpoints/{id}/test", input, options);
  }

  /** Another signing secret, a new one unless given; the replaced one signs too for `overlap` seconds, a day unless given. */
  rotateSecret(id: string, rotation: SecretRotation = {}, options?: PostOptions): Promise<RotatedSecret> {
    const input = { path: { id }, body: rotation };
    return this.http.call("post", "/v1/endpoints/{id}/rotate-secret", input, options);
  }
}
