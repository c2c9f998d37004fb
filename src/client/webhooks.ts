import { type FollowOptions, follow, itemsOf } from "./pages.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";
import type {
  AcceptedDelivery,
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryPage,
  DeliveryPageQuery,
  DeliveryQuery,
  Erased,
  NewWebhook,
  Resent,
  WebhookResults,
} from "./types.ts";

/** Sends to one endpoint, and what became of every send. */
export class Webhooks {
  constructor(private readonly http: Transport) {}

  send(webhook: NewWebhook, options?: PostOptions): Promise<AcceptedDelivery> {
    return this.http.call("post", "/v1/webhooks", { body: webhook }, options);
  }

  /** Up to 1,000, each accepted or refused by itself; the results are in their order. */
  async sendMany(webhooks: NewWebhook[], options?: PostOptions): Promise<WebhookResults> {
    const answer = await this.http.call("post", "/v1/webhooks/batch", { body: { webhooks } }, options);
    return answer as WebhookResults;
  }

  /** With the payload and every attempt. */
  get(id: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.http.call("get", "/v1/webhooks/{id}", { path: { id } }, options);
  }

  /** Ends a pending delivery without a further attempt. */
  cancel(id: string, options?: PostOptions): Promise<Delivery> {
    return this.http.call("post", "/v1/webhooks/{id}/cancel", { path: { id } }, options);
  }

  /** Sends it again, at the end of its endpoint's order. */
  resend(id: string, options?: PostOptions): Promise<Resent> {
    return this.http.call("post", "/v1/webhooks/{id}/resend", { path: { id } }, options);
  }

  /** Removes its payload, and that of every delivery that sent it again; attempts and counts stay. */
  erasePayload(id: string, options?: RequestOptions): Promise<Erased> {
    return this.http.call("delete", "/v1/webhooks/{id}/payload", { path: { id } }, options);
  }

  /** A part of the list: newest first by `cursor`, oldest first by `iterator`, which is `start`, `now` or the last answer's. */
  async list(
    query: DeliveryQuery & { cursor?: string; iterator?: string } = {},
    options?: RequestOptions,
  ): Promise<DeliveryList> {
    // Always with a limit: without any parameter of its form the list is the one in pages, which has no cursor.
    const asked = { ...query, limit: query.limit ?? 20 };
    const answer = await this.http.call("get", "/v1/webhooks", { query: asked }, options);
    if ("data" in answer) return answer;
    return { data: answer.deliveries, cursor: null };
  }

  /** A page by its number, and how many deliveries there are in all. */
  async page(query: DeliveryPageQuery = {}, options?: RequestOptions): Promise<DeliveryPage> {
    const answer = await this.http.call("get", "/v1/webhooks", { query }, options);
    if ("deliveries" in answer) return answer;
    return { deliveries: answer.data, total: answer.data.length, page: 1, per_page: answer.data.length };
  }

  /** Every delivery, newest first, read page by page. */
  all(query: DeliveryQuery = {}, options?: RequestOptions): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((cursor) => this.list({ ...inLargePages(query), cursor }, options));
  }

  /** Every delivery there is by now, in the order in which they were accepted, read page by page. */
  allOldestFirst(
    query: DeliveryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((place = "start") => this.list({ ...inLargePages(query), iterator: place }, options));
  }

  /** Deliveries as they are accepted, oldest first, without end: each one once, in the status it then has. */
  follow(query: DeliveryQuery = {}, options: FollowOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { signal } = options;
    return follow((iterator) => this.list({ ...inLargePages(query), iterator }, { signal }), options);
  }
}

/** As many at a time as an answer may hold, unless told otherwise. */
function inLargePages(query: DeliveryQuery): DeliveryQuery {
  return { ...query, limit: query.limit ?? 100 };
}
