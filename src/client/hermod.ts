import type { AnswerOf, ArgumentsOf, InputOf, Method, OperationOf, PathOf } from "./operation.ts";
import { itemsOf } from "./pages.ts";
import { Admin } from "./resources/admin.ts";
import { Endpoints } from "./resources/endpoints.ts";
import { EventTypes } from "./resources/event-types.ts";
import { Events } from "./resources/events.ts";
import { Jobs } from "./resources/jobs.ts";
import { Keys } from "./resources/keys.ts";
import { Webhooks } from "./resources/webhooks.ts";
import { type HermodOptions, type PostOptions, type RequestOptions, Transport } from "./transport.ts";
import type {
  ActivityQuery,
  AuditEntry,
  BacklogPage,
  CursorQuery,
  Me,
  Series,
  SeriesQuery,
  Stats,
  Usage,
} from "./types.ts";

/**
 * A client of a Hermod service. Its methods throw a HermodError if the service refuses, and a HermodUnreachable if
 * there is no answer, after several tries of requests that are safe to repeat.
 */
export class Hermod {
  readonly endpoints: Endpoints;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly eventTypes: EventTypes;
  readonly jobs: Jobs;
  readonly keys: Keys;
  readonly admin: Admin;
  private readonly http: Transport;

  constructor(options: HermodOptions) {
    const http = new Transport(options);
    this.http = http;
    this.endpoints = new Endpoints(http);
    this.webhooks = new Webhooks(http);
    this.events = new Events(http);
    this.eventTypes = new EventTypes(http);
    this.jobs = new Jobs(http);
    this.keys = new Keys(http);
    this.admin = new Admin(http);
  }

  /** Counts all stored deliveries. */
  stats(options?: RequestOptions): Promise<Stats> {
    return this.http.call("get", "/v1/stats", {}, options);
  }

  /** Reads figures over time, of the account or of the endpoint with the given id. */
  series(
    query: SeriesQuery & { endpoint?: string | undefined } = {},
    options?: RequestOptions,
  ): Promise<Series> {
    const { endpoint: id, ...range } = query;
    return id === undefined
      ? this.http.call("get", "/v1/stats/series", { query: range }, options)
      : this.http.call("get", "/v1/endpoints/{id}/stats/series", { path: { id }, query: range }, options);
  }

  /** Reads a page of the endpoints with pending deliveries, each with its first one. */
  backlog(query: CursorQuery = {}, options?: RequestOptions): Promise<BacklogPage> {
    return this.http.call("get", "/v1/backlog", { query }, options);
  }

  /** Reads the use of the plan in this month. */
  usage(options?: RequestOptions): Promise<Usage> {
    return this.http.call("get", "/v1/billing/usage", {}, options);
  }

  /** Reads the account, the key and the permissions of this client. */
  me(options?: RequestOptions): Promise<Me> {
    return this.http.call("get", "/v1/me", {}, options);
  }

  /** Reads the changes in the account with their keys or persons, newest first, page by page. */
  activity(query: ActivityQuery = {}, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/activity", { query: { ...query, cursor } }, options),
    );
  }

  /** Calls any route by its method, in lower case, and its path. Typed like the other methods. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...given: ArgumentsOf<OperationOf<M, P>, PostOptions>
  ): Promise<AnswerOf<OperationOf<M, P>>> {
    const [input = {} as InputOf<OperationOf<M, P>>, options] = given;
    return this.http.call(method, path, input, options);
  }
}
