import type { Methods } from "../methods.ts";
import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions } from "../transport.ts";
import type {
  Delivery,
  DeliveryList,
  DeliveryPage,
  DeliveryPageQuery,
  DeliveryQuery,
  FollowQuery,
  Job,
  NewWebhook,
  ResendCount,
  ResendSelection,
  WebhookResults,
} from "../types.ts";

export type FollowOptions = RequestOptions & {
  /** The start: `now` (the default), `start` or the `iterator` of a list. */
  from?: string;
};

type ListedDeliveryQuery = DeliveryQuery & { cursor?: string; iterator?: string };
type DeliveryItems = AsyncGenerator<Delivery, void, undefined>;

/** Sends webhooks to one endpoint, and manages deliveries. */
export function webhooksOf({ http, call, send, find }: Methods) {
  async function list(query: ListedDeliveryQuery = {}, options?: RequestOptions): Promise<DeliveryList> {
    // Always sends a limit, because without a parameter of the cursor form the API would answer with numbered pages.
    const asked = { ...query, limit: query.limit ?? 20 };
    const answer = await http.call("get", "/v1/webhooks", { query: asked }, options);
    const { data = [], cursor = null, iterator } = answer;
    return { data, cursor, ...(iterator !== undefined && { iterator }) };
  }
  function live(names: string[], query: FollowQuery, { from, ...options }: FollowOptions): DeliveryItems {
    return http.live("/v1/webhooks/tail", { ...query, iterator: from }, names, options);
  }
  return {
    send: send("post", "/v1/webhooks"),
    /** Sends up to 1,000 webhooks, each accepted or refused by itself. The results have the same order. */
    async sendMany(webhooks: NewWebhook[], options?: PostOptions): Promise<WebhookResults> {
      const answer = await http.call("post", "/v1/webhooks/batch", { body: { webhooks } }, options);
      return answer as WebhookResults;
    },
    /** Reads a delivery with its payload and every attempt. */
    get: call("get", "/v1/webhooks/{id}"),
    /** Cancels a pending delivery. */
    cancel: call("post", "/v1/webhooks/{id}/cancel"),
    /** Attempts a waiting delivery now. */
    retry: call("post", "/v1/webhooks/{id}/retry"),
    /** Sends a delivery again, at the end of its endpoint's order. */
    resend: call("post", "/v1/webhooks/{id}/resend"),
    /** Starts a job that resends many deliveries, by their ids or a filter. */
    async resendMany(selection: ResendSelection, options?: PostOptions): Promise<Job> {
      const body = { ...selection, dry_run: false };
      return (await http.call("post", "/v1/webhooks/resend", { body }, options)) as Job;
    },
    /** Counts the deliveries that `resendMany` would resend. */
    async countResendable(selection: ResendSelection, options?: PostOptions): Promise<ResendCount> {
      const body = { ...selection, dry_run: true };
      return (await http.call("post", "/v1/webhooks/resend", { body }, options)) as ResendCount;
    },
    /** Erases a delivery's payload, also from deliveries that resend it. Attempts and counts stay. */
    erasePayload: call("delete", "/v1/webhooks/{id}/payload"),
    /**
     * Reads a page of the list: newest first by `cursor`, oldest first by `iterator`. An iterator is `start`, `now` or the one of
     * the last answer.
     */
    list,
    /** Counts matching deliveries by status and answer, newest first, for a second at most. */
    summary: find("/v1/webhooks/summary"),
    /** Reads a page by its number, with the total of deliveries. */
    async page(query: DeliveryPageQuery = {}, options?: RequestOptions): Promise<DeliveryPage> {
      const answer = await http.call("get", "/v1/webhooks", { query }, options);
      const { deliveries = [], total = 0, page = 1, per_page = 20 } = answer;
      return { deliveries, total, page, per_page };
    },
    /** Reads every delivery, newest first, page by page. */
    all(query: DeliveryQuery = {}, options?: RequestOptions): DeliveryItems {
      return itemsOf((cursor) => list({ ...inLargePages(query), cursor }, options));
    },
    /** Reads every delivery that exists now, in the order of acceptance, page by page. */
    allOldestFirst(query: DeliveryQuery = {}, options?: RequestOptions): DeliveryItems {
      return itemsOf((place = "start") => list({ ...inLargePages(query), iterator: place }, options));
    },
    /**
     * Follows deliveries as they are accepted, oldest first, without gaps and without end. Yields each once: when it is accepted,
     * or with `status` once it has that status.
     */
    follow: (query: FollowQuery = {}, options: FollowOptions = {}): DeliveryItems =>
      live(["delivery"], query, options),
    /** Follows deliveries like `follow`, and yields a delivery again whenever it changes. */
    followChanges: (query: FollowQuery = {}, options: FollowOptions = {}): DeliveryItems =>
      live(["delivery", "update"], query, options),
  };
}

/** Asks for the largest pages, unless the query has a limit. */
function inLargePages(query: DeliveryQuery): DeliveryQuery {
  return { ...query, limit: query.limit ?? 100 };
}
