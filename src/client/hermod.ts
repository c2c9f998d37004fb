import { methodsOf } from "./methods.ts";
import type { AnswerOf, ArgumentsOf, InputOf, Method, OperationOf, PathOf } from "./operation.ts";
import { type PulledEvent, type PullOptions, pulledEvents } from "./pulled-events.ts";
import { adminOf } from "./resources/admin.ts";
import { endpointsOf } from "./resources/endpoints.ts";
import { eventTypesOf } from "./resources/event-types.ts";
import { eventsOf } from "./resources/events.ts";
import { jobsOf } from "./resources/jobs.ts";
import { keysOf } from "./resources/keys.ts";
import { webhooksOf } from "./resources/webhooks.ts";
import {
  type HermodOptions,
  type PostOptions,
  type RequestOptions,
  type Transport,
  transportOf,
} from "./transport.ts";
import type { Series, SeriesQuery } from "./types.ts";

/**
 * A client of a Hermod service. Its methods throw a HermodError if the service refuses, and a HermodUnreachable if
 * there is no answer, after several tries of requests that are safe to repeat.
 */
export class Hermod {
  readonly endpoints;
  readonly webhooks;
  readonly events;
  readonly eventTypes;
  readonly jobs;
  readonly keys;
  readonly admin;
  /** Counts all stored deliveries. */
  readonly stats;
  /** Reads a page of the endpoints with pending deliveries, each with its first one. */
  readonly backlog;
  /** Reads the use of the plan in this month. */
  readonly usage;
  /** Reads the account, the key and the permissions of this client. */
  readonly me;
  /** Reads a page of the changes in the account with their keys or persons, newest first. */
  readonly listActivity;
  /** Reads every change in the account, newest first, page by page. */
  readonly allActivity;
  /** Reads figures of the account over time. */
  readonly statsSeries;
  /** Makes a link that shows an account's endpoints to its owner, in the portal. */
  readonly createPortalSession;
  private readonly http: Transport;

  constructor(options: HermodOptions) {
    this.http = transportOf(options);
    const methods = methodsOf(this.http);
    this.endpoints = endpointsOf(methods);
    this.webhooks = webhooksOf(methods);
    this.events = eventsOf(methods);
    this.eventTypes = eventTypesOf(methods);
    this.jobs = jobsOf(methods);
    this.keys = keysOf(methods);
    this.admin = adminOf(methods);
    this.stats = methods.call("get", "/v1/stats");
    this.backlog = methods.find("/v1/backlog");
    this.usage = methods.call("get", "/v1/billing/usage");
    this.me = methods.call("get", "/v1/me");
    this.listActivity = methods.find("/v1/activity");
    this.allActivity = methods.all("/v1/activity");
    this.statsSeries = methods.find("/v1/stats/series");
    this.createPortalSession = methods.send("post", "/v1/portal-sessions");
  }

  /**
   * Yields what was sent to an endpoint with `delivery: "pull"`, without end, in its order. What the loop has finished is
   * acknowledged. What it has not finished when it ends comes again.
   */
  receive(endpoint: string, options: PullOptions = {}): AsyncGenerator<PulledEvent, void, undefined> {
    return pulledEvents(this.http, endpoint, options);
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
