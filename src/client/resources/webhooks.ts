import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type {
  AcceptedDelivery,
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryPage,
  DeliveryPageQuery,
  DeliveryQuery,
  Erased,
  FollowQuery,
  Job,
  NewWebhook,
  ResendCount,
  ResendSelection,
  Resent,
  WebhookResults,
  WebhookSummary,
  WebhookSummaryQuery,
} from "../types.ts";

export type FollowOptions = RequestOptions & {
  /** The start: `now` (the default), `start` or the `iterator` of a list. */
  from?: string;
};

/** Sends webhooks to one endpoint, and manages deliveries. */
export class Webhooks {
  constructor(private readonly http: Transport) {}

  send(webhook: NewWebhook, options?: PostOptions): Promise<AcceptedDelivery> {
    return this.http.call("post", "/v1/webhooks", { body: webhook }, options);
  }

  /** Sends up to 1,000 webhooks, each accepted or refused by itself. The results have the same order. */
  async sendMany(webhooks: NewWebhook[], options?: PostOptions): Promise<WebhookResults> {
    const answer = await this.http.call("post", "/v1/webhooks/batch", { body: { webhooks } }, options);
    return answer as WebhookResults;
  }

  /** Reads a delivery with its payload and every attempt. */
  get(id: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.http.call("get", "/v1/webhooks/{id}", { path: { id } }, options);
  }

  /** Cancels a pending delivery. */
  cancel(id: string, options?: PostOptions): Promise<Delivery> {
    return this.http.call("post", "/v1/webhooks/{id}/cancel", { path: { id } }, options);
  }

  /** Attempts a waiting delivery now. */
  retry(id: string, options?: PostOptions): Promise<Delivery> {
    return this.http.call("post", "/v1/webhooks/{id}/retry", { path: { id } }, options);
  }

  /** Sends a delivery again, at the end of its endpoint's order. */
  resend(id: string, options?: PostOptions): Promise<Resent> {
    return this.http.call("post", "/v1/webhooks/{id}/resend", { path: { id } }, options);
  }

  /** Starts a job that resends many deliveries, by their ids or a filter. */
  async resendMany(selection: ResendSelection, options?: PostOptions): Promise<Job> {
    const body = { ...selection, dry_run: false };
    return (await this.http.call("post", "/v1/webhooks/resend", { body }, options)) as Job;
  }

  /** Counts the deliveries that `resendMany` would resend. */
  async countResendable(selection: ResendSelection, options?: PostOptions): Promise<ResendCount> {
    const body = { ...selection, dry_run: true };
    return (await this.http.call("post", "/v1/webhooks/resend", { body }, options)) as ResendCount;
  }

  /** Erases a delivery's payload, also from deliveries that resend it. Attempts and counts stay. */
  erasePayload(id: string, options?: RequestOptions): Promise<Erased> {
    return this.http.call("delete", "/v1/webhooks/{id}/payload", { path: { id } }, options);
  }

  /**
   * Reads a page of the list: newest first by `cursor`, oldest first by `iterator`. An iterator is `start`, `now` or the one of the
   * last answer.
   */
  async list(
    query: DeliveryQuery & { cursor?: string; iterator?: string } = {},
    options?: RequestOptions,
  ): Promise<DeliveryList> {
    // Always sends a limit, because without a parameter of the cursor form the API would answer with numbered pages.
    const asked = { ...query, limit: query.limit ?? 20 };
    const answer = await this.http.call("get", "/v1/webhooks", { query: asked }, options);
    const { data = [], cursor = null, iterator } = answer;
    return { data, cursor, ...(iterator !== undefined && { iterator }) };
  }

  /** Counts matching deliveries by status and answer, newest first, for a second at most. */
  summary(query: WebhookSummaryQuery = {}, options?: RequestOptions): Promise<WebhookSummary> {
    return this.http.call("get", "/v1/webhooks/summary", { query }, options);
  }

  /** Reads a page by its number, with the total of deliveries. */
  async page(query: DeliveryPageQuery = {}, options?: RequestOptions): Promise<DeliveryPage> {
    const answer = await this.http.call("get", "/v1/webhooks", { query }, options);
    const { deliveries = [], total = 0, page = 1, per_page = 20 } = answer;
    return { deliveries, total, page, per_page };
  }

  /** Reads every delivery, newest first, page by page. */
  all(query: DeliveryQuery = {}, options?: RequestOptions): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((cursor) => this.list({ ...inLargePages(query), cursor }, options));
  }

  /** Reads every delivery that exists now, in the order of acceptance, page by page. */
  allOldestFirst(
    query: DeliveryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((place = "start") => this.list({ ...inLargePages(query), iterator: place }, options));
  }

  /**
   * Follows deliveries as they are accepted, oldest first, without gaps and without end. Yields each once: when it is accepted, or
   * with `status` once it has that status.
   */
  follow(query: FollowQuery = {}, options: FollowOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { from, ...rest } = options;
    return this.http.live("/v1/webhooks/tail", { ...query, iterator: from }, ["delivery"], rest);
  }

  /** Follows deliveries like `follow`, and yields a delivery again whenever it changes. */
  followChanges(
    query: FollowQuery = {},
    options: FollowOptions = {},
  ): AsyncGenerator<Delivery, void, undefined> {
    const { from, ...rest } = options;
    return this.http.live("/v1/webhooks/tail", { ...query, iterator: from }, ["delivery", "update"], rest);
  }
}

/** Asks for the largest pages, unless the query has a limit. */
function inLargePages(query: DeliveryQuery): DeliveryQuery {
  return { ...query, limit: query.limit ?? 100 };
}
