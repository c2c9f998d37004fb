import type { Methods } from "../methods.ts";
import type { PostOptions } from "../transport.ts";
import type { AcceptedDelivery, CreatedEndpoint, Endpoint, EndpointSettings, TestEvent } from "../types.ts";

/** Manages the receivers of webhooks. */
export const endpointsOf = ({ http, call, send, find, all }: Methods) => ({
  /** Registers an endpoint. Only this answer has the signing secret. */
  create: send("post", "/v1/endpoints"),
  get: call("get", "/v1/endpoints/{id}"),
  /** Reads a page, newest first. */
  // Without `limit` and `cursor` the API would return an array of all endpoints.
  list: find("/v1/endpoints", { limit: 20 }),
  /** Reads every endpoint, page by page. */
  all: all("/v1/endpoints"),
  /** Reads a page of an endpoint's pending deliveries, in order. */
  queue: find("/v1/endpoints/{id}/queue"),
  /** Reads the orders of an endpoint whose first delivery is retried, most pending deliveries first. */
  listStuckOrders: find("/v1/endpoints/{id}/stuck-orders"),
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
    return http.call("put", "/v1/endpoints/{id}", input, keyed);
  },
  /** Changes an endpoint. Absent fields stay unchanged. */
  update: send("patch", "/v1/endpoints/{id}"),
  /** Deletes an endpoint and cancels its pending deliveries. */
  delete: call("delete", "/v1/endpoints/{id}"),
  /** Reads an endpoint's rates, latencies and backlog. */
  stats: call("get", "/v1/endpoints/{id}/stats"),
  /** Reads the endpoint's figures over time. */
  statsSeries: find("/v1/endpoints/{id}/stats/series"),
  /** Attempts now the deliveries that wait for a retry. */
  retry: call("post", "/v1/endpoints/{id}/retry"),
  /** Reads the next deliveries of an endpoint with `delivery: "pull"`, and acknowledges those of the page before. */
  receive: send("post", "/v1/endpoints/{id}/receive"),
  /** Sends a sample event, `hermod.test`, like any webhook. `data`, or the example of `event`, replaces the sample. */
  test(id: string, { data, event, ...options }: PostOptions & TestEvent = {}): Promise<AcceptedDelivery> {
    const input = { path: { id }, body: { data, event } };
    return http.call("post", "/v1/endpoints/{id}/test", input, options);
  },
  /** Sends trial requests to the receiver, which are no deliveries, and says what to mend. Takes up to 25 s. */
  certify: call("post", "/v1/endpoints/{id}/certify"),
  /** Checks the form of a URL and the address of its host, before an endpoint has it. */
  checkUrl: send("post", "/v1/endpoints/check-url"),
  /** Reads the kept events, and whether the endpoint would have got each with its filter or with `filter`. */
  testFilter: send("post", "/v1/endpoints/{id}/filter/test"),
  /**
   * Replaces the signing secret, by a new one unless you give one. The old secret also signs for `overlap` seconds, a day by
   * default.
   */
  rotateSecret: send("post", "/v1/endpoints/{id}/rotate-secret"),
  /** Reads a page of an endpoint's numbers, and what became of each. Takes the key of its receiver too. */
  log: find("/v1/endpoints/{id}/log"),
  listReceiverKeys: call("get", "/v1/endpoints/{id}/receiver-keys"),
  /** Creates a key for the endpoint's receiver. Only this answer has the key's text. */
  createReceiverKey: send("post", "/v1/endpoints/{id}/receiver-keys"),
  /** Revokes a receiver's key. Takes effect everywhere within five seconds. */
  deleteReceiverKey: call("delete", "/v1/endpoints/{id}/receiver-keys/{key_id}"),
});
