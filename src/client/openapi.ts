// Made from the service's OpenAPI document by `bun run client:types`.

export interface paths {
  "/health/live": {
    /** Whether the process is alive */
    get: operations["isLive"];
  };
  "/health/ready": {
    /** Whether the process can do its work */
    get: operations["isReady"];
  };
  "/v1/admin/accounts": {
    /**
     * List accounts
     * @description Needs the permission `admin`.
     */
    get: operations["listAccounts"];
    /**
     * Create an account
     * @description It is on the plan `HERMOD_DEFAULT_PLAN`, which is `unlimited` unless set, if `plan` is left out.
     *
     * Needs the permission `admin`.
     */
    post: operations["createAccount"];
  };
  "/v1/admin/accounts/{id}": {
    /**
     * Get an account
     * @description Needs the permission `admin`.
     */
    get: operations["getAccount"];
    /**
     * Create or change an account by its external id
     * @description At `~` and an `external_id` that no account has, it creates the account; `name` is required then. Otherwise it changes the account as PATCH does.
     *
     * Needs the permission `admin`.
     */
    put: operations["putAccount"];
    /**
     * Change an account
     * @description Fields that are left out stay as they are.
     *
     * Needs the permission `admin`.
     */
    patch: operations["updateAccount"];
  };
  "/v1/admin/accounts/{id}/keys": {
    /**
     * List an account's keys
     * @description Needs the permission `admin`.
     */
    get: operations["listAccountKeys"];
    /**
     * Create a key for an account
     * @description It may have any permission. It ends no later than the requesting key, and is disabled and revoked with it; the keys of `HERMOD_ADMIN_KEY` stay when that is replaced. The key's text is returned only in this answer.
     *
     * Needs the permission `admin`.
     */
    post: operations["createAccountKey"];
  };
  "/v1/admin/keys/{id}": {
    /**
     * Revoke a key of any account
     * @description And the keys that it made, in whichever account, and the keys that they made.
     *
     * Needs the permission `admin`.
     */
    delete: operations["deleteAnyKey"];
  };
  "/v1/admin/plans": {
    /**
     * List plans
     * @description Needs the permission `admin`.
     */
    get: operations["listPlans"];
  };
  "/v1/admin/plans/{name}": {
    /**
     * Create or change a plan
     * @description The limit of webhooks applies at once, that of requests within five seconds.
     *
     * Needs the permission `admin`.
     */
    put: operations["putPlan"];
  };
  "/v1/billing/usage": {
    /**
     * Get the current month's usage
     * @description Needs the permission `stats:read`.
     */
    get: operations["getUsage"];
  };
  "/v1/endpoints": {
    /**
     * List endpoints
     * @description Newest first: all as an array, or a page at a time if `limit` or `cursor` is given.
     *
     * Needs the permission `endpoints:read`.
     */
    get: operations["listEndpoints"];
    /**
     * Register an endpoint
     * @description The signing secret is returned only in this answer. It is a new one, unless you bring one along.
     *
     * Needs the permission `endpoints:write`.
     */
    post: operations["createEndpoint"];
  };
  "/v1/endpoints/{id}": {
    /**
     * Get an endpoint
     * @description Needs the permission `endpoints:read`.
     */
    get: operations["getEndpoint"];
    /**
     * Create or change an endpoint by its external id
     * @description At `~` and an `external_id` that no endpoint of the account has, it registers the endpoint; `url` is required then, and the answer, 201, has the signing secret. Otherwise it changes the endpoint as PATCH does: fields that are left out stay.
     *
     * Needs the permission `endpoints:write`.
     */
    put: operations["putEndpoint"];
    /**
     * Delete an endpoint
     * @description Its pending deliveries are cancelled.
     *
     * Needs the permission `endpoints:write`.
     */
    delete: operations["deleteEndpoint"];
    /**
     * Change an endpoint
     * @description Fields that are left out stay as they are. With secret headers, a `url` of another origin (scheme, host or port) needs `headers` in the same request, else it is a 400: their values are never sent where nobody gave them for.
     *
     * Needs the permission `endpoints:write`.
     */
    patch: operations["updateEndpoint"];
  };
  "/v1/endpoints/{id}/replay": {
    /**
     * Replay an endpoint's deliveries
     * @description Starts a job that sends the deliveries of a time range again, in their order, each as `POST /webhooks/{id}/resend` does. It skips deliveries that are replays themselves, are pending or erased, or no longer match the endpoint's filter. Each delivery is looked at once, in the state it has then. The job waits while 100 deliveries are pending for the endpoint, so that new ones never queue behind more; it checks again after 0.1 seconds, and up to ten seconds later while there is no room. It fails when the month's webhooks are used up or the endpoint is deleted. At most 100 jobs of an account run at a time: one more is a 409.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["replayEndpoint"];
  };
  "/v1/endpoints/{id}/rotate-secret": {
    /**
     * Rotate an endpoint's signing secret
     * @description The new secret is returned only in this answer. During the overlap `webhook-signature` carries a signature by the new secret, followed by one by each secret it replaced (at most the last two). Then the new one signs alone. A later rotation ends older overlaps no later than its own.
     *
     * Needs the permission `endpoints:write`.
     */
    post: operations["rotateSecret"];
  };
  "/v1/endpoints/{id}/stats": {
    /**
     * Get an endpoint's statistics
     * @description At this moment; fast, however long its history and its backlog are.
     *
     * Needs the permission `stats:read`.
     */
    get: operations["getEndpointStats"];
  };
  "/v1/endpoints/{id}/test": {
    /**
     * Send a test event
     * @description Sends an event of the type `hermod.test` like any webhook: signed, in the endpoint's order, retried, counted
     * against the month's limit. Receivers recognise it by the header `webhook-event: hermod.test`. It is sent whatever the endpoint's
     * filter is, and waits like any other while the endpoint is inactive.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["testEndpoint"];
  };
  "/v1/erasures": {
    /**
     * Erase the payloads of many deliveries
     * @description Starts a job that erases as `DELETE /webhooks/{id}/payload` does, selected by event type, endpoint and time. At least one of them must be given. At most 100 jobs of an account run at a time: one more is a 409.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["erasePayloads"];
  };
  "/v1/event-types": {
    /**
     * List event types
     * @description Those the account has sent and those that have a schema, newest first.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listEventTypes"];
  };
  "/v1/event-types/{name}": {
    /**
     * Get an event type
     * @description Needs the permission `webhooks:read`.
     */
    get: operations["getEventType"];
  };
  "/v1/event-types/{name}/schema": {
    /**
     * Set an event type's schema
     * @description From now on a webhook of this type whose `data` does not match is refused with 400; where several processes serve the API, by each of them within two seconds. The event type need not have been used before. Patterns support neither look-around nor back-references. A schema that is too costly to check payloads against is refused with 400: more than 65,536 bytes, 16 schemas within each other, 3,000 values with what they refer to (1,000 for each item or property), patterns that take more than 10,000 instructions together, or 4 MiB when it is compiled.
     *
     * Needs the permission `event-types:write`.
     */
    put: operations["putEventTypeSchema"];
    /**
     * Remove an event type's schema
     * @description Takes effect everywhere within two seconds.
     *
     * Needs the permission `event-types:write`.
     */
    delete: operations["deleteEventTypeSchema"];
  };
  "/v1/events": {
    /**
     * Send an event to every endpoint that wants it
     * @description Creates one delivery for every endpoint of the account whose filter the event matches, except those with `feed`: all of them or none, each in its endpoint's order and each counted against the month's limit. If no endpoint wants the event there are none, which is not an error. At most 10,000 endpoints, and 64 MiB of payload in all.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["publishEvent"];
  };
  "/v1/events/batch": {
    /**
     * Send many events to every endpoint that wants them
     * @description Works as if they were sent one after another. Each is accepted or refused by itself: all its deliveries or none. All together make at most 10,000 deliveries: the first event beyond this and all after it are a 400, to be sent in another request, or by this one again with the same `Idempotency-Key`. What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["publishEvents"];
  };
  "/v1/jobs": {
    /**
     * List jobs
     * @description Newest first.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listJobs"];
  };
  "/v1/jobs/{id}": {
    /**
     * Get a job
     * @description Needs the permission `webhooks:read`.
     */
    get: operations["getJob"];
  };
  "/v1/jobs/{id}/cancel": {
    /**
     * Cancel a running job
     * @description What it has already done stays done. 409 if it is not running. An erasure needs `webhooks:write`.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["cancelJob"];
  };
  "/v1/keys": {
    /**
     * List the account's keys
     * @description Newest first, without the keys' texts.
     *
     * Needs the permission `keys:write`.
     */
    get: operations["listKeys"];
    /**
     * Create a key
     * @description The new key has no permission that the requesting key lacks, and ends no later: a later `expires_at` becomes the end of the requesting key. It is disabled and revoked with its maker (`created_by`). A JWT can't create keys. The key's text is returned only in this answer; an Idempotency-Key returns it again to its maker alone. At most 1000 an account; one more is a 409.
     *
     * Needs the permission `keys:write`.
     */
    post: operations["createKey"];
  };
  "/v1/keys/{id}": {
    /**
     * Revoke a key
     * @description Takes effect everywhere within five seconds. Revokes the keys that it made, and the keys that they made, as well. 403 for a key with permissions that the requesting one lacks; `DELETE /admin/keys/{id}` revokes any key.
     *
     * Needs the permission `keys:write`.
     */
    delete: operations["deleteKey"];
    /**
     * Enable or disable a key
     * @description Takes effect everywhere within five seconds. Disabling a key disables the keys that it made, and the keys that they made, as well; enabling enables this key alone. What ends can't enable a key that ends later. 403 for a key with permissions that the requesting one lacks; `DELETE /admin/keys/{id}` revokes any key.
     *
     * Needs the permission `keys:write`.
     */
    patch: operations["updateKey"];
  };
  "/v1/stats": {
    /**
     * Get the account's statistics
     * @description Needs the permission `stats:read`.
     */
    get: operations["getStats"];
  };
  "/v1/webhooks": {
    /**
     * List deliveries
     * @description Newest first, in one of two forms that can't be mixed.
     *
     * **Pages**: with `page`, `per_page` or `event`, or with no parameter at all. `total` is exact.
     * Pages by both `status` and `event` take turns: one per account and two in all at a time.
     *
     * **Cursors**: with any of `limit`, `cursor`, `iterator`, `event_type`, `endpoint_id`, `after`, `before`,
     * `response_status`, `error`, `data.…`. An `iterator` reads oldest first and never skips a delivery: begin with `start` or `now`, go on with the
     * `iterator` of the last answer, for as long as you like; `cursor` is null once you are caught up.
     *
     * **Search**: `response_status`, `error` and `data.<field>` work with cursors only, since what they find is not counted. These,
     * several other filters together, and an iterator with any filter search for about a second per request; a page may then
     * have fewer items than asked for, even none, and a `cursor` to go on from. Any other filter makes a search faster. Searches
     * by `data.<field>` take turns, one per account and two in all at a time; other searches that take longer than a moment do
     * the same among themselves. Waiting counts towards the second.
     *
     * `data.<field>=<value>` finds payloads that have this field at their top level, as a string with this text or as a
     * number or boolean written like this: `data.order_id=42` finds `{"order_id":42}` and `{"order_id":"42"}`, not
     * `{"order_id":42.0}`. The name extends to the equals sign: `data.a.b` is the field `a.b`. At most
     * 5 fields, all of which must match. Payloads with an escaped NUL (`\u0000`) or half of a surrogate
     * pair are not found.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listWebhooks"];
    /**
     * Send a webhook
     * @description The answer is sent once the delivery is safely stored. Deliveries of an endpoint are attempted in the order in which they were accepted. When the endpoint's filter excludes the event, the delivery is recorded as `cancelled` with the reason `event_filter`.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["sendWebhook"];
  };
  "/v1/webhooks/{id}": {
    /**
     * Get a delivery
     * @description Needs the permission `webhooks:read`.
     */
    get: operations["getWebhook"];
  };
  "/v1/webhooks/{id}/cancel": {
    /**
     * Cancel a pending delivery
     * @description It is not attempted any more, and those behind it go on at once. An attempt under way can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["cancelWebhook"];
  };
  "/v1/webhooks/{id}/payload": {
    /**
     * Erase a delivery's payload
     * @description The payload is removed for good, also from every other delivery that was made by resending it. Attempts and counts stay. Those still pending are cancelled with the reason `erased`; an attempt under way can't be recalled. Erasing again changes nothing.
     *
     * Needs the permission `webhooks:write`.
     */
    delete: operations["erasePayload"];
  };
  "/v1/webhooks/{id}/resend": {
    /**
     * Resend a delivery
     * @description Creates a new delivery at the end of the endpoint's order, under the same rules as a send. It has an id and a history of its own, and refers to the original by `replay_of`. Receivers get the original's id as `webhook-id`, so that they recognise it. 409 while the delivery is pending, and if its payload is erased or its endpoint deleted.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["resendWebhook"];
  };
  "/v1/webhooks/batch": {
    /**
     * Send many webhooks
     * @description Works as if they were sent one after another, so those of one endpoint keep the order of the items. Each is accepted or refused by itself. A batch that is repeated with its Idempotency-Key sends what is missing and returns what was accepted before. What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["sendWebhooks"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    /** @description Deliveries that were given a place in the endpoint's order. */
    AcceptedCounts: {
      last_day: number;
      last_hour: number;
      last_minute: number;
    };
    AcceptedDelivery: {
      attempt_count: number;
      /**
       * @description Present only if cancelled.
       * @enum {string}
       */
      cancel_reason?: "endpoint_deleted" | "event_filter" | "requested" | "erased";
      /** Format: date-time */
      created_at: string;
      endpoint_id: string;
      event: string | null;
      /**
       * @description Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
       * @enum {string}
       */
      failure_reason?: "expired";
      /** @description Begins with `wh_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @enum {string} */
      status: "pending" | "delivered" | "failed" | "cancelled";
    };
    Account: {
      /** Format: date-time */
      created_at: string;
      external_id: string | null;
      /** @description Begins with `acc_`. */
      id: string;
      name: string;
      plan: string;
    };
    AccountChanges: {
      /** @description An id of your own, which no other one has; it stands for the id in every path, as `~` and itself. */
      external_id?: string | null;
      name?: string;
      /** @description The name of a plan. */
      plan?: string;
    };
    AccountPage: {
      /** @description Pass it to get the next page; null on the last one. */
      cursor: string | null;
      data: components["schemas"]["Account"][];
    };
    AccountUpsert: {
      name?: string;
      /** @description The name of a plan. */
      plan?: string;
    };
    Attempt: {
      /** @description Counts from 1. */
      attempt: number;
      duration_ms: number;
      /** @description Why there was no complete HTTP response: `timeout`, `invalid_url`, `https_required`, `blocked_address`, `dns`, `connection_refused`, `connection_reset`, `connection_failed`, `tls`, `proxy`, `protocol`, `response_too_large`. Beside a 2xx of a delivery that is delivered, a note: the receiver had the whole request, and only the body of its answer broke off. */
      error: string | null;
      /** @description The reason, where more is known: for `blocked_address` `internal_name`; for `timeout` `not_connected`, `no_response`, `request_not_taken`, `answer_cut_short`; for `connection_reset` `request_not_taken`, `answer_cut_short`; for `dns` `name_not_found`, `no_answer`, `server_failure`, `query_refused`, `unreadable_answer`, `too_many_lookups`; for `connection_failed` `network_unreachable`, `host_unreachable`, `connection_timed_out`; for `tls` `certificate_expired`, `certificate_not_yet_valid`, `certificate_wrong_name`, `certificate_self_signed`, `certificate_unknown_authority`, `certificate_chain_incomplete`, `certificate_invalid`, `client_certificate_required`, `tls_version`, `http2_only`, `not_tls`, `unknown_name`, `handshake_refused`, `handshake_too_large`, `renegotiation`; for `proxy` `proxy_unreachable`, `proxy_credentials`, `proxy_timeout`, `tunnel_refused`. For a target with addresses that are not permitted it ends with `not permitted: ` and their kinds, such as `private, link_local`. */
      error_detail: string | null;
      /** @description Where a redirect leads, its first 2,048 bytes. It is not followed. */
      location: string | null;
      /** @description The first 1 KiB. */
      response_body: string | null;
      /** @description The receiver's HTTP status; 0 if there was no HTTP response. */
      status: number;
      /** Format: date-time */
      timestamp: string;
    };
    CreatedEndpoint: {
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types` with commas between them. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description What requests to the endpoint carry besides; without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight: number;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata: {
        [key: string]: string;
      };
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string}
       */
      ordering: "ordered" | "by_key" | "unordered";
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the headers with a secret value. */
      sensitive_headers: string[];
      /** @description Begins with `whsec_`; shown only this once. */
      signing_secret: string;
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      url: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string}
       */
      while_inactive: "hold" | "skip";
    };
    CreatedKey: {
      /** Format: date-time */
      created_at: string;
      /** @description The key that made this one, maybe an administrator's: revoking or disabling it does the same to this one. Null: the operator's `HERMOD_ADMIN_KEY`, whose keys stay. */
      created_by: string | null;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Begins with `key_`. */
      id: string;
      is_active: boolean;
      /** @description The key itself, shown only this once. */
      key: string;
      /**
       * Format: date-time
       * @description To the minute; null when not used yet.
       */
      last_used_at: string | null;
      name: string | null;
      permissions: ("endpoints:read" | "endpoints:write" | "webhooks:read" | "webhooks:write" | "webhooks:retry" | "event-types:write" | "stats:read" | "keys:write" | "admin")[];
    };
    Deleted: {
      deleted: boolean;
    };
    Delivery: {
      attempt_count: number;
      /**
       * @description Present only if cancelled.
       * @enum {string}
       */
      cancel_reason?: "endpoint_deleted" | "event_filter" | "requested" | "erased";
      /** Format: date-time */
      created_at: string;
      endpoint_id: string;
      event: string | null;
      /**
       * @description Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
       * @enum {string}
       */
      failure_reason?: "expired";
      /** @description Begins with `wh_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description The receiver's last HTTP status; 0 if it gave none, null before the first attempt. */
      response_status: number | null;
      /** @enum {string} */
      status: "pending" | "delivered" | "failed" | "cancelled";
    };
    DeliveryDetail: {
      attempt_count: number;
      attempts: components["schemas"]["Attempt"][];
      /**
       * @description Present only if cancelled.
       * @enum {string}
       */
      cancel_reason?: "endpoint_deleted" | "event_filter" | "requested" | "erased";
      /** Format: date-time */
      completed_at: string | null;
      /** Format: date-time */
      created_at: string;
      /** @description The payload; null once it is erased. */
      data: {
        [key: string]: unknown;
      } | null;
      endpoint_id: string;
      /**
       * Format: date-time
       * @description When the payload was erased; only then.
       */
      erased_at?: string;
      event: string | null;
      /**
       * @description Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
       * @enum {string}
       */
      failure_reason?: "expired";
      /** @description Begins with `wh_`. */
      id: string;
      /** Format: date-time */
      next_attempt_at: string | null;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description The original delivery that this one sends again. */
      replay_of?: string;
      /** @description The receiver's last HTTP status; 0 if it gave none, null before the first attempt. */
      response_status: number | null;
      /** @description Its place in the endpoint's order; null if the filter excluded it. */
      sequence: number | null;
      /** @enum {string} */
      status: "pending" | "delivered" | "failed" | "cancelled";
      waiting_for?: components["schemas"]["WaitingFor"];
    };
    DeliveryFailedData: {
      attempt_count: number;
      /** Format: date-time */
      created_at: string;
      endpoint_id: string;
      /** @description As of the last attempt, and so is `error_detail`. */
      error: string | null;
      error_detail: string | null;
      event: string | null;
      /**
       * @description It was pending for longer than HERMOD_RETENTION.
       * @enum {string|null}
       */
      failure_reason: "expired" | null;
      /** @description Of the delivery; begins with `wh_`. */
      id: string;
      /** @description 0 if there was no HTTP response, null if there was no attempt. */
      response_status: number | null;
    };
    /** @description A delivery failed for good. */
    DeliveryFailedEvent: {
      data: components["schemas"]["DeliveryFailedData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "delivery.failed";
    };
    DeliveryInFront: {
      /** @description Begins with `wh_`. */
      id: string;
      /**
       * Format: date-time
       * @description When it is tried again; null when it is tried now.
       */
      next_attempt_at: string | null;
      sequence: number;
      /**
       * Format: date-time
       * @description When the first attempt at it began; null while there was none.
       */
      since: string | null;
    };
    DeliveryList: {
      /** @description Pass it to get the next page; null on the last one. */
      cursor: string | null;
      data: components["schemas"]["Delivery"][];
      /** @description Where to continue; present only if an iterator was given. */
      iterator?: string;
    };
    DeliveryPage: {
      deliveries: components["schemas"]["Delivery"][];
      page: number;
      per_page: number;
      total: number;
    };
    Endpoint: {
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types` with commas between them. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description What requests to the endpoint carry besides; without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight: number;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata: {
        [key: string]: string;
      };
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string}
       */
      ordering: "ordered" | "by_key" | "unordered";
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the headers with a secret value. */
      sensitive_headers: string[];
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      url: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string}
       */
      while_inactive: "hold" | "skip";
    };
    EndpointChanges: {
      description?: string | null;
      /** @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both. */
      event_filter?: string;
      /** @description The same as a list, in which event types may also have commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[];
      /** @description An id of your own, which no other one has; it stands for the id in every path, as `~` and itself. */
      external_id?: string | null;
      /** @description Whether it gets the account's feed, what Hermod reports about its own work (see `FeedEvent`), as far as the filter matches. POST /events then skips it. At most 10 per account; one more is a 409. */
      feed?: boolean;
      /** @description Headers that every request to the endpoint carries, from the next attempt on. Given, they replace all that were set, secret ones too; `{}` removes them. At most 20, with 6144 characters together. Names are tokens of at most 128 characters, kept in lower case; values are printable ASCII, at most 4096 characters. These can't be set: Hermod's own (`webhook-*`, `content-type`, `user-agent`) and those that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared as CGI and WSGI read them: without case, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description While false, deliveries to it wait as pending, in order. */
      is_active?: boolean;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight?: number;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata?: {
        [key: string]: string;
      };
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string}
       */
      ordering?: "ordered" | "by_key" | "unordered";
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[];
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: kept encrypted and never shown. Where some are, a change of `headers` must bring this list as well, since answers don't show what it would replace; `[]` leaves none. */
      sensitive_headers?: string[];
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description Where deliveries are sent: an http or https URL. */
      url?: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string}
       */
      while_inactive?: "hold" | "skip";
    };
    EndpointDisabledData: {
      /**
       * Format: date-time
       * @description Since when every attempt failed.
       */
      failing_since: string;
      /** @description Of the endpoint; begins with `ep_`. */
      id: string;
      /**
       * @description `failing`: it only failed for HERMOD_DISABLE_AFTER. `gone`: it answered 410 twice, a minute or more apart. `unwanted`: its receiver answered `webhook-delivery: disable`.
       * @enum {string}
       */
      reason: "failing" | "gone" | "unwanted";
      url: string;
    };
    /** @description An endpoint was set inactive by Hermod. */
    EndpointDisabledEvent: {
      data: components["schemas"]["EndpointDisabledData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "endpoint.disabled";
    };
    EndpointFailingData: {
      /**
       * Format: date-time
       * @description Since when every attempt failed.
       */
      failing_since: string;
      /** @description Of the endpoint; begins with `ep_`. */
      id: string;
      url: string;
    };
    /** @description An endpoint has only failed for a quarter of HERMOD_DISABLE_AFTER: if it goes on, it will be set inactive. */
    EndpointFailingEvent: {
      data: components["schemas"]["EndpointFailingData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "endpoint.failing";
    };
    EndpointHealth: {
      last_failure: components["schemas"]["LastFailure"];
      /**
       * Format: date-time
       * @description When it last recovered from failures; null: never. Other successes are not noted here.
       */
      last_success_at: string | null;
      /** @description Of a disabled endpoint: `failing`: it only failed for HERMOD_DISABLE_AFTER. `gone`: it answered 410 twice, a minute or more apart. `unwanted`: its receiver answered `webhook-delivery: disable`. Of one that fails or is blocked: the `error` of its last failed attempt, or `status` if it got an answer. */
      reason: string | null;
      /**
       * Format: date-time
       * @description Since when it has this state; null while healthy.
       */
      since: string | null;
      /**
       * @description `healthy`: its last attempt succeeded, or it had none. `failing`: every attempt has failed since `since`. `blocked`: the same, because Hermod may not send to its URL. `disabled`: Hermod set it inactive. `paused`: the account did.
       * @enum {string}
       */
      state: "healthy" | "failing" | "blocked" | "disabled" | "paused";
    };
    EndpointPage: {
      /** @description Pass it to get the next page; null on the last one. */
      cursor: string | null;
      data: components["schemas"]["Endpoint"][];
    };
    EndpointRecoveredData: {
      /**
       * Format: date-time
       * @description Since when every attempt failed.
       */
      failing_since: string;
      /** @description Of the endpoint; begins with `ep_`. */
      id: string;
      url: string;
    };
    /** @description An endpoint delivers again after it failed for a minute or longer. */
    EndpointRecoveredEvent: {
      data: components["schemas"]["EndpointRecoveredData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "endpoint.recovered";
    };
    EndpointStats: {
      accepted: components["schemas"]["AcceptedCounts"];
      /**
       * Format: date-time
       * @description When the oldest pending delivery was accepted.
       */
      oldest_pending_at: string | null;
      /** @description Exact below 10000, which stands for that many or more. */
      pending: number;
      recent: components["schemas"]["RecentAttempts"];
    };
    EndpointUpsert: {
      description?: string | null;
      /** @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both. */
      event_filter?: string;
      /** @description The same as a list, in which event types may also have commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[];
      /** @description Whether it gets the account's feed, what Hermod reports about its own work (see `FeedEvent`), as far as the filter matches. POST /events then skips it. At most 10 per account; one more is a 409. */
      feed?: boolean;
      /** @description Headers that every request to the endpoint carries, from the next attempt on. Given, they replace all that were set, secret ones too; `{}` removes them. At most 20, with 6144 characters together. Names are tokens of at most 128 characters, kept in lower case; values are printable ASCII, at most 4096 characters. These can't be set: Hermod's own (`webhook-*`, `content-type`, `user-agent`) and those that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared as CGI and WSGI read them: without case, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description While false, deliveries to it wait as pending, in order. */
      is_active?: boolean;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight?: number;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata?: {
        [key: string]: string;
      };
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string}
       */
      ordering?: "ordered" | "by_key" | "unordered";
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[];
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: kept encrypted and never shown. Where some are, a change of `headers` must bring this list as well, since answers don't show what it would replace; `[]` leaves none. */
      sensitive_headers?: string[];
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description Where deliveries are sent: an http or https URL. */
      url?: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string}
       */
      while_inactive?: "hold" | "skip";
    };
    ErasedPayload: {
      erased: boolean;
    };
    ErrorAnswer: {
      error: components["schemas"]["ErrorDetail"];
    };
    ErrorDetail: {
      /** @enum {string} */
      code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
      /** @description For people; don't parse it. */
      message: string;
    };
    EventResult: {
      error?: components["schemas"]["ErrorDetail"];
      event?: components["schemas"]["PublishedEvent"];
      /** @description The status that the item would have got by itself. */
      status: number;
    };
    EventResults: {
      /** @description In the order of the items. */
      results: components["schemas"]["EventResult"][];
    };
    EventType: {
      /**
       * Format: date-time
       * @description When it was first used or described.
       */
      created_at: string;
      event_type: string;
      /** @description A JSON Schema, draft 2020-12 or draft 7, without references to other documents. */
      schema: {
        [key: string]: unknown;
      } | null;
    };
    EventTypePage: {
      /** @description Pass it to get the next page; null on the last one. */
      cursor: string | null;
      data: components["schemas"]["EventType"][];
    };
    /** @description What Hermod reports about its own work, to each endpoint of the account with `feed` whose filter matches: signed, in order and at least once, like any delivery. These are listed and counted in the statistics, but not in the month's webhooks. Deliveries and endpoints of the feed itself are never reported on. */
    FeedEvent: components["schemas"]["DeliveryFailedEvent"] | components["schemas"]["EndpointFailingEvent"] | components["schemas"]["EndpointDisabledEvent"] | components["schemas"]["EndpointRecoveredEvent"] | components["schemas"]["UsageLimitNearEvent"];
    Job: {
      /** Format: date-time */
      completed_at: string | null;
      /** Format: date-time */
      created_at: string;
      /** @description Why it failed, as text for people. */
      failure: string | null;
      /** @description Begins with `job_`. */
      id: string;
      /** @enum {string} */
      kind: "replay" | "erasure";
      progress: components["schemas"]["JobProgress"];
      scope: components["schemas"]["JobScope"];
      /** @enum {string} */
      status: "running" | "completed" | "cancelled" | "failed";
    };
    JobPage: {
      /** @description Pass it to get the next page; null on the last one. */
      cursor: string | null;
      data: components["schemas"]["Job"][];
    };
    JobProgress: {
      /** @description How many were sent again, or how many payloads were erased, those of resends included. */
      done: number;
      /** @description How many of them the job has looked at. */
      looked_at: number;
      /** @description Deliveries in the range, counted when the job began; those that were being accepted then are added as the job comes to them. Null if there were more than 100,000. */
      total: number | null;
    };
    JobScope: {
      /** Format: date-time */
      after: string | null;
      /** Format: date-time */
      before: string;
      endpoint_id: string | null;
      event: string | null;
      /** @enum {string|null} */
      status: "delivered" | "failed" | "cancelled" | null;
    };
    Key: {
      /** Format: date-time */
      created_at: string;
      /** @description The key that made this one, maybe an administrator's: revoking or disabling it does the same to this one. Null: the operator's `HERMOD_ADMIN_KEY`, whose keys stay. */
      created_by: string | null;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Begins with `key_`. */
      id: string;
      is_active: boolean;
      /**
       * Format: date-time
       * @description To the minute; null when not used yet.
       */
      last_used_at: string | null;
      name: string | null;
      permissions: ("endpoints:read" | "endpoints:write" | "webhooks:read" | "webhooks:write" | "webhooks:retry" | "event-types:write" | "stats:read" | "keys:write" | "admin")[];
    };
    KeyChanges: {
      is_active: boolean;
    };
    KeyList: {
      data: components["schemas"]["Key"][];
    };
    LastFailure: ({
      /** Format: date-time */
      at: string;
      error: string | null;
      error_detail: string | null;
      /** @description 0 if there was no HTTP response. */
      status: number;
    }) | null;
    Latencies: {
      /** @description Half of the attempts took no longer; null if there were none. */
      p50: number | null;
      /** @description 90 % of the attempts took no longer; null if there were none. */
      p90: number | null;
      /** @description 99 % of the attempts took no longer; null if there were none. */
      p99: number | null;
    };
    Liveness: {
      /** @enum {string} */
      status: "live";
    };
    NewAccount: {
      /** @description An id of your own, which no other one has; it stands for the id in every path, as `~` and itself. */
      external_id?: string | null;
      name: string;
      /** @description The name of a plan. */
      plan?: string | null;
    };
    NewEndpoint: {
      description?: string | null;
      /**
       * @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both.
       * @default *
       */
      event_filter?: string | null;
      /** @description The same as a list, in which event types may also have commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[] | null;
      /** @description An id of your own, which no other one has; it stands for the id in every path, as `~` and itself. */
      external_id?: string | null;
      /**
       * @description Whether it gets the account's feed, what Hermod reports about its own work (see `FeedEvent`), as far as the filter matches. POST /events then skips it. At most 10 per account; one more is a 409.
       * @default false
       */
      feed?: boolean | null;
      /** @description Headers that every request to the endpoint carries, from the next attempt on. Given, they replace all that were set, secret ones too; `{}` removes them. At most 20, with 6144 characters together. Names are tokens of at most 128 characters, kept in lower case; values are printable ASCII, at most 4096 characters. These can't be set: Hermod's own (`webhook-*`, `content-type`, `user-agent`) and those that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared as CGI and WSGI read them: without case, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /**
       * @description While false, deliveries to it wait as pending, in order.
       * @default true
       */
      is_active?: boolean | null;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight?: number | null;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata?: {
        [key: string]: string;
      } | null;
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string|null}
       */
      ordering?: "ordered" | "by_key" | "unordered" | null;
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[] | null;
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: kept encrypted and never shown. Where some are, a change of `headers` must bring this list as well, since answers don't show what it would replace; `[]` leaves none. */
      sensitive_headers?: string[] | null;
      /** @description A secret that its receiver knows already, as when you move here from elsewhere: `whsec_` and the base64 (with padding) of 24 to 64 random bytes. Without it a new one is made. */
      signing_secret?: string | null;
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description Where deliveries are sent: an http or https URL. */
      url: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string|null}
       */
      while_inactive?: "hold" | "skip" | null;
    };
    NewErasure: {
      /**
       * Format: date-time
       * @description ISO 8601: only what was created at this moment or later.
       */
      after?: string;
      /**
       * Format: date-time
       * @description ISO 8601: only what was created before this moment; now when left out.
       */
      before?: string;
      /** @description Only deliveries to this endpoint, which may be deleted. */
      endpoint_id?: string;
      /** @description Only this event type. */
      event?: string;
    };
    NewEvent: {
      /** @description The payload. The receiver gets it byte for byte as it is written here. */
      data: {
        [key: string]: unknown;
      };
      event?: string | null;
      /** @description What the delivery belongs to, such as a customer's id. An endpoint whose `ordering` is `by_key` gets deliveries with the same key in order. It is kept whatever the ordering is, and sent to the receiver as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    NewEvents: {
      events: components["schemas"]["NewEvent"][];
    };
    NewKey: {
      /**
       * Format: date-time
       * @description ISO 8601. Default and latest: when the requesting key ends; never if that never does.
       */
      expires_at?: string | null;
      name?: string | null;
      /** @description What the key may do. Default: everything but `admin`. Null is refused, lest a slip gives as much. */
      permissions?: ("endpoints:read" | "endpoints:write" | "webhooks:read" | "webhooks:write" | "webhooks:retry" | "event-types:write" | "stats:read" | "keys:write" | "admin")[];
    };
    NewReplay: {
      /**
       * Format: date-time
       * @description ISO 8601: only what was created at this moment or later.
       */
      after?: string;
      /**
       * Format: date-time
       * @description ISO 8601: only what was created before this moment; now when left out.
       */
      before?: string;
      /** @description Only this event type. */
      event?: string;
      /**
       * @description Only deliveries that ended like this. Default: those delivered or failed.
       * @enum {string}
       */
      status?: "delivered" | "failed" | "cancelled";
    };
    NewSchema: {
      /** @description A JSON Schema, draft 2020-12 or draft 7, without references to other documents. */
      schema: {
        [key: string]: unknown;
      };
    };
    NewWebhook: {
      /** @description The payload. The receiver gets it byte for byte as it is written here. */
      data: {
        [key: string]: unknown;
      };
      endpoint_id: string;
      event?: string | null;
      /** @description What the delivery belongs to, such as a customer's id. An endpoint whose `ordering` is `by_key` gets deliveries with the same key in order. It is kept whatever the ordering is, and sent to the receiver as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    NewWebhooks: {
      webhooks: components["schemas"]["NewWebhook"][];
    };
    Plan: {
      name: string;
      /** @description Null means no limit. */
      requests_per_minute: number | null;
      /** @description Null means no limit. */
      webhooks_per_month: number | null;
    };
    PlanLimits: {
      /** @description Null means no limit. */
      requests_per_minute: number | null;
      /** @description Null means no limit. */
      webhooks_per_month: number | null;
    };
    PlanList: {
      data: components["schemas"]["Plan"][];
    };
    PublishedEvent: {
      /** @description One for each endpoint whose filter the event matches, the oldest endpoint first. */
      deliveries: components["schemas"]["AcceptedDelivery"][];
    };
    Readiness: {
      /** @description What can't be reached: `postgres`, `nats`. */
      away?: string[];
      nats: boolean;
      postgres: boolean;
      /** @enum {string} */
      status: "ready" | "degraded" | "unready";
    };
    /** @description Attempts of the last hour, of the 1000 deliveries that were attempted last, or of as many as are found among the last 10000 that have ended and those that wait for a retry. */
    RecentAttempts: {
      attempts: number;
      /** @description From the first of these attempts until now. */
      attempts_per_second: number;
      delivered: number;
      deliveries: number;
      failed: number;
      latency_ms: components["schemas"]["Latencies"];
      /** @description delivered / (delivered + failed) × 100; 0 without any. */
      success_rate: number;
    };
    ReplayedDelivery: {
      attempt_count: number;
      /**
       * @description Present only if cancelled.
       * @enum {string}
       */
      cancel_reason?: "endpoint_deleted" | "event_filter" | "requested" | "erased";
      /** Format: date-time */
      created_at: string;
      endpoint_id: string;
      event: string | null;
      /**
       * @description Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
       * @enum {string}
       */
      failure_reason?: "expired";
      /** @description Begins with `wh_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description The original delivery, whose id receivers get. */
      replay_of: string;
      /** @enum {string} */
      status: "pending" | "delivered" | "failed" | "cancelled";
    };
    RotatedSecret: {
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types` with commas between them. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description What requests to the endpoint carry besides; without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Deliveries in flight at once, 10 by default. No effect while `ordered`. */
      max_in_flight: number;
      /** @description Notes of your own: at most 50 texts of at most 512 characters, under names of 1 to 64. A new value replaces the whole object. */
      metadata: {
        [key: string]: string;
      };
      /**
       * @description What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same `ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry holds back those behind it in its order, and no others.
       * @enum {string}
       */
      ordering: "ordered" | "by_key" | "unordered";
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /**
       * Format: date-time
       * @description Until when requests are signed with the replaced secret too; null: they no longer are.
       */
      previous_secret_expires_at: string | null;
      /** @description Attempts, including retries, that may begin in any one second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most 604800000 together. Waiting before the first attempt uses none of it. What waited behind a delivery that used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the headers with a secret value. */
      sensitive_headers: string[];
      /** @description Begins with `whsec_`; shown only this once. */
      signing_secret: string;
      /** @description For the whole exchange of an attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      url: string;
      /**
       * @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way.
       * @enum {string}
       */
      while_inactive: "hold" | "skip";
    };
    SecretRotation: {
      /**
       * @description For how many seconds the replaced secret also signs; 0 ends it, and all before it, at once.
       * @default 86400
       */
      overlap?: number;
      /** @description A secret that its receiver knows already, as when you move here from elsewhere: `whsec_` and the base64 (with padding) of 24 to 64 random bytes. Without it a new one is made. */
      signing_secret?: string;
    };
    Stats: {
      delivered: number;
      endpoints_count: number;
      failed: number;
      pending: number;
      /** @description delivered / (delivered + failed) × 100, with two decimals; 0 if there are none. */
      success_rate: number;
      /** @description All deliveries kept, including cancelled ones. Ended ones are kept for the retention (HERMOD_RETENTION, 30 days). */
      total_deliveries: number;
    };
    TestEvent: {
      /** @description The payload, instead of the sample; needs `webhooks:write`. */
      data?: {
        [key: string]: unknown;
      };
      /** @description What the delivery belongs to, such as a customer's id. An endpoint whose `ordering` is `by_key` gets deliveries with the same key in order. It is kept whatever the ordering is, and sent to the receiver as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    Usage: {
      period: components["schemas"]["UsagePeriod"];
      plan: string;
      /** @description Null means no limit. */
      requests_per_minute: number | null;
      webhooks: components["schemas"]["UsedWebhooks"];
    };
    UsageLimitNearData: {
      limit: number;
      percent: number;
      /** @description The first day of the month, such as `2026-01-01`. */
      period: string;
      used: number;
    };
    /** @description 80 % or 100 % of the month's webhooks are used; each is told once a month, and again when a larger plan's is reached. */
    UsageLimitNearEvent: {
      data: components["schemas"]["UsageLimitNearData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "usage.limit_near";
    };
    /** @description The month, UTC. */
    UsagePeriod: {
      /**
       * Format: date-time
       * @description Exclusive.
       */
      end: string;
      /** Format: date-time */
      start: string;
    };
    UsedWebhooks: {
      /** @description Null means no limit. */
      limit: number | null;
      /** @description Null means no limit. */
      remaining: number | null;
      used: number;
    };
    /** @description What the delivery waits for at this moment; present only while it is pending. */
    WaitingFor: components["schemas"]["WaitingForPause"] | components["schemas"]["WaitingForTurn"] | components["schemas"]["WaitingForRetry"] | components["schemas"]["WaitingForPlace"] | components["schemas"]["WaitingForRateLimit"] | components["schemas"]["WaitingForAttempt"];
    /** @description Nothing: its attempt is under way or about to begin. */
    WaitingForAttempt: {
      /** @enum {string} */
      reason: "attempt";
    };
    /** @description The endpoint is inactive: nothing is sent to it. */
    WaitingForPause: {
      /** @enum {string} */
      reason: "pause";
    };
    /** @description A free place: the endpoint is not ordered, and `max_in_flight` deliveries before it are in flight or next. */
    WaitingForPlace: {
      max_in_flight: number;
      /** @enum {string} */
      reason: "max_in_flight";
    };
    /** @description The endpoint's rate limit: as many attempts began in the last second. */
    WaitingForRateLimit: {
      rate_limit: number;
      /** @enum {string} */
      reason: "rate_limit";
    };
    /** @description Its next attempt, at this time: an earlier one failed. */
    WaitingForRetry: {
      /** @enum {string} */
      reason: "retry";
      /** Format: date-time */
      until: string;
    };
    /** @description Its turn: this delivery is in front of it in its order. */
    WaitingForTurn: {
      in_front: components["schemas"]["DeliveryInFront"];
      /** @description Present only if the endpoint is `by_key`: the key of both deliveries; null for those without a key. */
      ordering_key?: string | null;
      /** @enum {string} */
      reason: "turn";
    };
    WebhookResult: {
      error?: components["schemas"]["ErrorDetail"];
      /** @description The status that the item would have got by itself. */
      status: number;
      webhook?: components["schemas"]["AcceptedDelivery"];
    };
    WebhookResults: {
      /** @description In the order of the items. */
      results: components["schemas"]["WebhookResult"][];
    };
  };
  responses: {
    /** @description Something in the request is invalid; the message says what. */
    BadRequest: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The Idempotency-Key was used for a different request, or the request conflicts with the current state: the message says how. */
    Conflict: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The key lacks a permission, possibly one that the key it would create, switch or revoke has; or a limit of the account is reached: the plan's webhooks per month, or the number of schemas. */
    Forbidden: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description An unexpected failure. The service's log has the details, under the same X-Request-Id. */
    InternalError: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description What a request with a method that this path does not have gets; `Allow` names those that it has. */
    MethodNotAllowed: {
      headers: {
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description It does not exist, or it belongs to another account. */
    NotFound: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The request body is larger than 1 MiB. */
    PayloadTooLarge: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description Too many requests, or too many failed authentications from one address. */
    TooManyRequests: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The key or token is missing, unknown, inactive, revoked or expired. */
    Unauthorized: {
      headers: {
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The database can't be reached, or too many sends are waiting to be accepted. */
    Unavailable: {
      headers: {
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The request body is compressed. */
    UnsupportedMediaType: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
  };
  parameters: {
    /**
     * @description Acts for another account: its id, or its `external_id`, percent-encoded. Needs the permission `admin` beside that of the operation. All of the request is that account's, its limits as well.
     * @example shop-42
     */
    Account?: string;
    /**
     * @description Makes the request safe to repeat: within 24 hours the same key with the same request gets the first successful answer again, and with a different request 409.
     * @example order-4711-created
     */
    IdempotencyKey?: string;
  };
  requestBodies: never;
  headers: {
    /** @description `identity`: request bodies are sent as they are. */
    "Accept-Encoding": "identity";
    /** @description The methods of this path. */
    Allow: string;
    /** @description Present, and `true`, if this is the answer that an earlier request with the same key got. */
    "Idempotency-Replayed": "true";
    /** @description Requests the plan allows in a minute; absent when it sets no limit. */
    "RateLimit-Limit": number;
    /** @description Requests left of them. */
    "RateLimit-Remaining": number;
    /** @description Seconds until all of them are there again. */
    "RateLimit-Reset": number;
    /** @description Seconds to wait before the next try. */
    "Retry-After": number;
    /** @description How to authenticate. */
    "WWW-Authenticate": string;
    /** @description The id under which the service's log has the details. */
    "X-Request-Id": string;
  };
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /** Whether the process is alive */
  isLive: {
    responses: {
      /** @description It is alive. */
      200: {
        content: {
          "application/json": components["schemas"]["Liveness"];
        };
      };
      400: components["responses"]["BadRequest"];
    };
  };
  /** Whether the process can do its work */
  isReady: {
    parameters: {
      query?: {
        /** @description Answers 503 as well while NATS can't be reached. */
        require?: "nats";
      };
    };
    responses: {
      /** @description It can: Postgres answers. While NATS can't be reached the status is `degraded`: deliveries go on from Postgres. */
      200: {
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
      400: components["responses"]["BadRequest"];
      /** @description Postgres can't be reached, or NATS with `require=nats`. */
      503: {
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
    };
  };
  /**
   * List accounts
   * @description Needs the permission `admin`.
   */
  listAccounts: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default; more than 100 count as 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description A page, newest first. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["AccountPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create an account
   * @description It is on the plan `HERMOD_DEFAULT_PLAN`, which is `unlimited` unless set, if `plan` is left out.
   *
   * Needs the permission `admin`.
   */
  createAccount: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Example shop",
         *   "plan": "starter"
         * }
         */
        "application/json": components["schemas"]["NewAccount"];
      };
    };
    responses: {
      /** @description The account. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get an account
   * @description Needs the permission `admin`.
   */
  getAccount: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The account's id. Or `~` and its `external_id`.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    responses: {
      /** @description The account. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create or change an account by its external id
   * @description At `~` and an `external_id` that no account has, it creates the account; `name` is required then. Otherwise it changes the account as PATCH does.
   *
   * Needs the permission `admin`.
   */
  putAccount: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The account's id. Or `~` and its `external_id`.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Example shop",
         *   "plan": "starter"
         * }
         */
        "application/json": components["schemas"]["AccountUpsert"];
      };
    };
    responses: {
      /** @description The account, changed. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      /** @description The account, created. */
      201: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Change an account
   * @description Fields that are left out stay as they are.
   *
   * Needs the permission `admin`.
   */
  updateAccount: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The account's id. Or `~` and its `external_id`.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "plan": "starter"
         * }
         */
        "application/json": components["schemas"]["AccountChanges"];
      };
    };
    responses: {
      /** @description The account. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List an account's keys
   * @description Needs the permission `admin`.
   */
  listAccountKeys: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The account's id. Or `~` and its `external_id`.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    responses: {
      /** @description All keys, newest first. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["KeyList"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create a key for an account
   * @description It may have any permission. It ends no later than the requesting key, and is disabled and revoked with it; the keys of `HERMOD_ADMIN_KEY` stay when that is replaced. The key's text is returned only in this answer.
   *
   * Needs the permission `admin`.
   */
  createAccountKey: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The account's id. Or `~` and its `external_id`.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Shop backend",
         *   "permissions": [
         *     "webhooks:write",
         *     "webhooks:read"
         *   ]
         * }
         */
        "application/json": components["schemas"]["NewKey"];
      };
    };
    responses: {
      /** @description The key, with its text. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["CreatedKey"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Revoke a key of any account
   * @description And the keys that it made, in whichever account, and the keys that they made.
   *
   * Needs the permission `admin`.
   */
  deleteAnyKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The key's id.
         * @example key_01k9x3t1m4e6bt7m9n2p4r6s8w
         */
        id: string;
      };
    };
    responses: {
      /** @description It is deleted, or revoked. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Deleted"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List plans
   * @description Needs the permission `admin`.
   */
  listPlans: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description All plans, by name. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["PlanList"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create or change a plan
   * @description The limit of webhooks applies at once, that of requests within five seconds.
   *
   * Needs the permission `admin`.
   */
  putPlan: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The plan's name.
         * @example starter
         */
        name: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "requests_per_minute": 600,
         *   "webhooks_per_month": 50000
         * }
         */
        "application/json": components["schemas"]["PlanLimits"];
      };
    };
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Plan"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get the current month's usage
   * @description Needs the permission `stats:read`.
   */
  getUsage: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description The current month. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Usage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List endpoints
   * @description Newest first: all as an array, or a page at a time if `limit` or `cursor` is given.
   *
   * Needs the permission `endpoints:read`.
   */
  listEndpoints: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default; more than 100 count as 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only endpoints in this state. */
        health?: "healthy" | "failing" | "blocked" | "disabled" | "paused";
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description The array, or a page. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Endpoint"][] | components["schemas"]["EndpointPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Register an endpoint
   * @description The signing secret is returned only in this answer. It is a new one, unless you bring one along.
   *
   * Needs the permission `endpoints:write`.
   */
  createEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "url": "https://example.com/hooks",
         *   "description": "Orders of the shop",
         *   "event_filter": "order.*"
         * }
         */
        "application/json": components["schemas"]["NewEndpoint"];
      };
    };
    responses: {
      /** @description The endpoint and its signing secret. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["CreatedEndpoint"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get an endpoint
   * @description Needs the permission `endpoints:read`.
   */
  getEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The endpoint. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create or change an endpoint by its external id
   * @description At `~` and an `external_id` that no endpoint of the account has, it registers the endpoint; `url` is required then, and the answer, 201, has the signing secret. Otherwise it changes the endpoint as PATCH does: fields that are left out stay.
   *
   * Needs the permission `endpoints:write`.
   */
  putEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "url": "https://example.com/hooks",
         *   "description": "Orders of the shop",
         *   "event_filter": "order.*"
         * }
         */
        "application/json": components["schemas"]["EndpointUpsert"];
      };
    };
    responses: {
      /** @description The endpoint, changed. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
      /** @description The endpoint, created. */
      201: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["CreatedEndpoint"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Delete an endpoint
   * @description Its pending deliveries are cancelled.
   *
   * Needs the permission `endpoints:write`.
   */
  deleteEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description It is deleted, or revoked. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Deleted"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Change an endpoint
   * @description Fields that are left out stay as they are. With secret headers, a `url` of another origin (scheme, host or port) needs `headers` in the same request, else it is a 400: their values are never sent where nobody gave them for.
   *
   * Needs the permission `endpoints:write`.
   */
  updateEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "is_active": false
         * }
         */
        "application/json": components["schemas"]["EndpointChanges"];
      };
    };
    responses: {
      /** @description The endpoint. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Replay an endpoint's deliveries
   * @description Starts a job that sends the deliveries of a time range again, in their order, each as `POST /webhooks/{id}/resend` does. It skips deliveries that are replays themselves, are pending or erased, or no longer match the endpoint's filter. Each delivery is looked at once, in the state it has then. The job waits while 100 deliveries are pending for the endpoint, so that new ones never queue behind more; it checks again after 0.1 seconds, and up to ten seconds later while there is no room. It fails when the month's webhooks are used up or the endpoint is deleted. At most 100 jobs of an account run at a time: one more is a 409.
   *
   * Needs the permission `webhooks:retry`.
   */
  replayEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "status": "failed",
         *   "after": "2026-01-31T00:00:00Z"
         * }
         */
        "application/json": components["schemas"]["NewReplay"];
      };
    };
    responses: {
      /** @description The job. */
      202: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Rotate an endpoint's signing secret
   * @description The new secret is returned only in this answer. During the overlap `webhook-signature` carries a signature by the new secret, followed by one by each secret it replaced (at most the last two). Then the new one signs alone. A later rotation ends older overlaps no later than its own.
   *
   * Needs the permission `endpoints:write`.
   */
  rotateSecret: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *   "overlap": 3600
         * }
         */
        "application/json": components["schemas"]["SecretRotation"];
      };
    };
    responses: {
      /** @description The endpoint and its new signing secret. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["RotatedSecret"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get an endpoint's statistics
   * @description At this moment; fast, however long its history and its backlog are.
   *
   * Needs the permission `stats:read`.
   */
  getEndpointStats: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The figures. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["EndpointStats"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Send a test event
   * @description Sends an event of the type `hermod.test` like any webhook: signed, in the endpoint's order, retried, counted
   * against the month's limit. Receivers recognise it by the header `webhook-event: hermod.test`. It is sent whatever the endpoint's
   * filter is, and waits like any other while the endpoint is inactive.
   *
   * Needs the permission `webhooks:retry`.
   */
  testEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The endpoint's id. Or `~` and its `external_id`.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /** @example {} */
        "application/json": components["schemas"]["TestEvent"];
      };
    };
    responses: {
      /** @description The delivery. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["AcceptedDelivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Erase the payloads of many deliveries
   * @description Starts a job that erases as `DELETE /webhooks/{id}/payload` does, selected by event type, endpoint and time. At least one of them must be given. At most 100 jobs of an account run at a time: one more is a 409.
   *
   * Needs the permission `webhooks:write`.
   */
  erasePayloads: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "event": "user.created",
         *   "before": "2026-01-31T00:00:00Z"
         * }
         */
        "application/json": components["schemas"]["NewErasure"];
      };
    };
    responses: {
      /** @description The job. */
      202: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List event types
   * @description Those the account has sent and those that have a schema, newest first.
   *
   * Needs the permission `webhooks:read`.
   */
  listEventTypes: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default; more than 100 count as 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["EventTypePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get an event type
   * @description Needs the permission `webhooks:read`.
   */
  getEventType: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The event type, percent-encoded.
         * @example order.created
         */
        name: string;
      };
    };
    responses: {
      /** @description The event type. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["EventType"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Set an event type's schema
   * @description From now on a webhook of this type whose `data` does not match is refused with 400; where several processes serve the API, by each of them within two seconds. The event type need not have been used before. Patterns support neither look-around nor back-references. A schema that is too costly to check payloads against is refused with 400: more than 65,536 bytes, 16 schemas within each other, 3,000 values with what they refer to (1,000 for each item or property), patterns that take more than 10,000 instructions together, or 4 MiB when it is compiled.
   *
   * Needs the permission `event-types:write`.
   */
  putEventTypeSchema: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The event type, percent-encoded.
         * @example order.created
         */
        name: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "schema": {
         *     "type": "object",
         *     "required": [
         *       "order_id"
         *     ],
         *     "properties": {
         *       "order_id": {
         *         "type": "integer",
         *         "minimum": 1
         *       },
         *       "total": {
         *         "type": "string"
         *       }
         *     }
         *   }
         * }
         */
        "application/json": components["schemas"]["NewSchema"];
      };
    };
    responses: {
      /** @description The event type. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["EventType"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Remove an event type's schema
   * @description Takes effect everywhere within two seconds.
   *
   * Needs the permission `event-types:write`.
   */
  deleteEventTypeSchema: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The event type, percent-encoded.
         * @example order.created
         */
        name: string;
      };
    };
    responses: {
      /** @description It is deleted, or revoked. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Deleted"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Send an event to every endpoint that wants it
   * @description Creates one delivery for every endpoint of the account whose filter the event matches, except those with `feed`: all of them or none, each in its endpoint's order and each counted against the month's limit. If no endpoint wants the event there are none, which is not an error. At most 10,000 endpoints, and 64 MiB of payload in all.
   *
   * Needs the permission `webhooks:write`.
   */
  publishEvent: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "event": "order.created",
         *   "data": {
         *     "order_id": 4711,
         *     "total": "99.90"
         *   }
         * }
         */
        "application/json": components["schemas"]["NewEvent"];
      };
    };
    responses: {
      /** @description The deliveries. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["PublishedEvent"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Send many events to every endpoint that wants them
   * @description Works as if they were sent one after another. Each is accepted or refused by itself: all its deliveries or none. All together make at most 10,000 deliveries: the first event beyond this and all after it are a 400, to be sent in another request, or by this one again with the same `Idempotency-Key`. What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.
   *
   * Needs the permission `webhooks:write`.
   */
  publishEvents: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "events": [
         *     {
         *       "event": "order.created",
         *       "data": {
         *         "order_id": 4711,
         *         "total": "99.90"
         *       }
         *     }
         *   ]
         * }
         */
        "application/json": components["schemas"]["NewEvents"];
      };
    };
    responses: {
      /** @description The outcome of each item. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["EventResults"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List jobs
   * @description Newest first.
   *
   * Needs the permission `webhooks:read`.
   */
  listJobs: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default; more than 100 count as 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["JobPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get a job
   * @description Needs the permission `webhooks:read`.
   */
  getJob: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The job's id.
         * @example job_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The job. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Cancel a running job
   * @description What it has already done stays done. 409 if it is not running. An erasure needs `webhooks:write`.
   *
   * Needs the permission `webhooks:retry`.
   */
  cancelJob: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The job's id.
         * @example job_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The job. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List the account's keys
   * @description Newest first, without the keys' texts.
   *
   * Needs the permission `keys:write`.
   */
  listKeys: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description All keys. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["KeyList"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Create a key
   * @description The new key has no permission that the requesting key lacks, and ends no later: a later `expires_at` becomes the end of the requesting key. It is disabled and revoked with its maker (`created_by`). A JWT can't create keys. The key's text is returned only in this answer; an Idempotency-Key returns it again to its maker alone. At most 1000 an account; one more is a 409.
   *
   * Needs the permission `keys:write`.
   */
  createKey: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Shop backend",
         *   "permissions": [
         *     "webhooks:write",
         *     "webhooks:read"
         *   ]
         * }
         */
        "application/json": components["schemas"]["NewKey"];
      };
    };
    responses: {
      /** @description The key, with its text. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["CreatedKey"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Revoke a key
   * @description Takes effect everywhere within five seconds. Revokes the keys that it made, and the keys that they made, as well. 403 for a key with permissions that the requesting one lacks; `DELETE /admin/keys/{id}` revokes any key.
   *
   * Needs the permission `keys:write`.
   */
  deleteKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The key's id.
         * @example key_01k9x3t1m4e6bt7m9n2p4r6s8w
         */
        id: string;
      };
    };
    responses: {
      /** @description It is deleted, or revoked. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Deleted"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Enable or disable a key
   * @description Takes effect everywhere within five seconds. Disabling a key disables the keys that it made, and the keys that they made, as well; enabling enables this key alone. What ends can't enable a key that ends later. 403 for a key with permissions that the requesting one lacks; `DELETE /admin/keys/{id}` revokes any key.
   *
   * Needs the permission `keys:write`.
   */
  updateKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The key's id.
         * @example key_01k9x3t1m4e6bt7m9n2p4r6s8w
         */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "is_active": false
         * }
         */
        "application/json": components["schemas"]["KeyChanges"];
      };
    };
    responses: {
      /** @description The key. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Key"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get the account's statistics
   * @description Needs the permission `stats:read`.
   */
  getStats: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description The exact figures at this moment. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Stats"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * List deliveries
   * @description Newest first, in one of two forms that can't be mixed.
   *
   * **Pages**: with `page`, `per_page` or `event`, or with no parameter at all. `total` is exact.
   * Pages by both `status` and `event` take turns: one per account and two in all at a time.
   *
   * **Cursors**: with any of `limit`, `cursor`, `iterator`, `event_type`, `endpoint_id`, `after`, `before`,
   * `response_status`, `error`, `data.…`. An `iterator` reads oldest first and never skips a delivery: begin with `start` or `now`, go on with the
   * `iterator` of the last answer, for as long as you like; `cursor` is null once you are caught up.
   *
   * **Search**: `response_status`, `error` and `data.<field>` work with cursors only, since what they find is not counted. These,
   * several other filters together, and an iterator with any filter search for about a second per request; a page may then
   * have fewer items than asked for, even none, and a `cursor` to go on from. Any other filter makes a search faster. Searches
   * by `data.<field>` take turns, one per account and two in all at a time; other searches that take longer than a moment do
   * the same among themselves. Waiting counts towards the second.
   *
   * `data.<field>=<value>` finds payloads that have this field at their top level, as a string with this text or as a
   * number or boolean written like this: `data.order_id=42` finds `{"order_id":42}` and `{"order_id":"42"}`, not
   * `{"order_id":42.0}`. The name extends to the equals sign: `data.a.b` is the field `a.b`. At most
   * 5 fields, all of which must match. Payloads with an escaped NUL (`\u0000`) or half of a surrogate
   * pair are not found.
   *
   * Needs the permission `webhooks:read`.
   */
  listWebhooks: {
    parameters: {
      query?: {
        /** @description Pages: the page's number, from 1. */
        page?: number;
        /** @description Pages: Items per page, 20 by default; more than 100 count as 100. */
        per_page?: number;
        /** @description Pages: only this event type. */
        event?: string;
        /** @description Both forms: only deliveries in this status. */
        status?: "pending" | "delivered" | "failed" | "cancelled";
        /** @description Cursors: Items per page, 20 by default; more than 100 count as 100. */
        limit?: number;
        /** @description Cursors: the `cursor` of the previous answer. */
        cursor?: string;
        /** @description Cursors: `start`, `now`, or the `iterator` of the previous answer. */
        iterator?: string;
        /** @description Cursors: only this event type. */
        event_type?: string;
        /** @description Cursors: only deliveries to this endpoint. */
        endpoint_id?: string;
        /** @description Cursors: only deliveries created at or after this time. */
        after?: string;
        /** @description Cursors: only deliveries created before this time. */
        before?: string;
        /** @description Cursors: only deliveries whose last attempt got this answer: a status such as `503`, a class such as `5xx`, or `0` for no HTTP response. */
        response_status?: string;
        /** @description Cursors: only deliveries with an attempt that failed like this. */
        error?: "timeout" | "invalid_url" | "https_required" | "blocked_address" | "dns" | "connection_refused" | "connection_reset" | "connection_failed" | "tls" | "proxy" | "protocol" | "response_too_large";
        /** @description Cursors: only deliveries with this value in this top-level field of their payload. */
        "data.<field>"?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["DeliveryPage"] | components["schemas"]["DeliveryList"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Send a webhook
   * @description The answer is sent once the delivery is safely stored. Deliveries of an endpoint are attempted in the order in which they were accepted. When the endpoint's filter excludes the event, the delivery is recorded as `cancelled` with the reason `event_filter`.
   *
   * Needs the permission `webhooks:write`.
   */
  sendWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "endpoint_id": "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
         *   "event": "order.created",
         *   "ordering_key": "customer-42",
         *   "data": {
         *     "order_id": 4711,
         *     "total": "99.90"
         *   }
         * }
         */
        "application/json": components["schemas"]["NewWebhook"];
      };
    };
    responses: {
      /** @description The delivery. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["AcceptedDelivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Get a delivery
   * @description Needs the permission `webhooks:read`.
   */
  getWebhook: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The delivery's id.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The delivery, its payload and every attempt; while it is pending, also what it waits for. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["DeliveryDetail"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Cancel a pending delivery
   * @description It is not attempted any more, and those behind it go on at once. An attempt under way can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.
   *
   * Needs the permission `webhooks:retry`.
   */
  cancelWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The delivery's id.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The delivery. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Erase a delivery's payload
   * @description The payload is removed for good, also from every other delivery that was made by resending it. Attempts and counts stay. Those still pending are cancelled with the reason `erased`; an attempt under way can't be recalled. Erasing again changes nothing.
   *
   * Needs the permission `webhooks:write`.
   */
  erasePayload: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The delivery's id.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The payload is erased. */
      200: {
        headers: {
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["ErasedPayload"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Resend a delivery
   * @description Creates a new delivery at the end of the endpoint's order, under the same rules as a send. It has an id and a history of its own, and refers to the original by `replay_of`. Receivers get the original's id as `webhook-id`, so that they recognise it. 409 while the delivery is pending, and if its payload is erased or its endpoint deleted.
   *
   * Needs the permission `webhooks:retry`.
   */
  resendWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
      path: {
        /**
         * @description The delivery's id.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        id: string;
      };
    };
    responses: {
      /** @description The new delivery. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["ReplayedDelivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
  /**
   * Send many webhooks
   * @description Works as if they were sent one after another, so those of one endpoint keep the order of the items. Each is accepted or refused by itself. A batch that is repeated with its Idempotency-Key sends what is missing and returns what was accepted before. What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.
   *
   * Needs the permission `webhooks:write`.
   */
  sendWebhooks: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["Account"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "webhooks": [
         *     {
         *       "endpoint_id": "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
         *       "event": "order.created",
         *       "ordering_key": "customer-42",
         *       "data": {
         *         "order_id": 4711,
         *         "total": "99.90"
         *       }
         *     },
         *     {
         *       "endpoint_id": "ep_?",
         *       "event": "order.created",
         *       "ordering_key": "customer-42",
         *       "data": {
         *         "order_id": 4711,
         *         "total": "99.90"
         *       }
         *     }
         *   ]
         * }
         */
        "application/json": components["schemas"]["NewWebhooks"];
      };
    };
    responses: {
      /** @description The outcome of each item. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        };
        content: {
          "application/json": components["schemas"]["WebhookResults"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      405: components["responses"]["MethodNotAllowed"];
      409: components["responses"]["Conflict"];
      413: components["responses"]["PayloadTooLarge"];
      415: components["responses"]["UnsupportedMediaType"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
      503: components["responses"]["Unavailable"];
    };
  };
}
