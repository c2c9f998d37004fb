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
  "/v1/activity": {
    /**
     * List the changes in the account
     * @description Newest first: each change with its time, and the key or person. Has every request that changed something, except sends, with the changed fields and without secrets, for `HERMOD_AUDIT_RETENTION`.
     *
     * Needs the permission `endpoints:read`.
     */
    get: operations["listActivity"];
  };
  "/v1/admin/accounts": {
    /**
     * List accounts
     * @description Needs the permission `accounts:act`.
     */
    get: operations["listAccounts"];
    /**
     * Create an account
     * @description Without `plan`, the account gets the plan that the service is configured with, `HERMOD_DEFAULT_PLAN` (`unlimited` by default).
     *
     * Needs the permission `admin`.
     */
    post: operations["createAccount"];
  };
  "/v1/admin/accounts/{id}": {
    /**
     * Get an account
     * @description Needs the permission `accounts:act`.
     */
    get: operations["getAccount"];
    /**
     * Create or change an account by its external id
     * @description Put `~` and the `external_id` in the path. If no account has it, this creates the account, and `name` is required. Otherwise this changes the account like PATCH.
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
     * @description The new key may have any permission. It expires no later than the requesting key, and is disabled and revoked with it. Keys that `HERMOD_ADMIN_KEY` created stay valid when it is replaced. The key's text is returned only in this answer.
     *
     * Needs the permission `admin`.
     */
    post: operations["createAccountKey"];
  };
  "/v1/admin/audit": {
    /**
     * List the changes in all accounts
     * @description Newest first: each change with its time, and the key or person. Has every request that changed something, except sends, with the changed fields and without secrets, for `HERMOD_AUDIT_RETENTION`.
     *
     * Needs the permission `admin`.
     */
    get: operations["listAudit"];
  };
  "/v1/admin/deliveries": {
    /**
     * List deliveries of all accounts
     * @description Newest first, with the filters of an account's list with cursors. A request searches for a quarter of a second, so that a page may have fewer items than you asked for, even none, and still a `cursor`. With `account` or `endpoint_id`, it is as fast as the account's own list.
     *
     * Needs the permissions `accounts:act` and `webhooks:read`.
     */
    get: operations["listAllDeliveries"];
  };
  "/v1/admin/endpoints": {
    /**
     * List endpoints of all accounts
     * @description Newest first, with the filters of an account's list.
     *
     * Needs the permissions `accounts:act` and `endpoints:read`.
     */
    get: operations["listAllEndpoints"];
  };
  "/v1/admin/events": {
    /**
     * List events of all accounts
     * @description Newest first, with the filters of an account's list. A request searches for a quarter of a second, so that a page may have fewer items than you asked for, even none, and still a `cursor`. With `account`, it is as fast as the account's own list.
     *
     * Needs the permissions `accounts:act` and `webhooks:read`.
     */
    get: operations["listAllEvents"];
  };
  "/v1/admin/keys/{id}": {
    /**
     * Revoke a key of any account
     * @description Also revokes the keys that it created, and the keys that these keys created in turn. Keys that it created for other accounts stay, unless they have the permission `admin` or `accounts:act`.
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
     * @description A new webhook limit applies at once, a new request limit within five seconds.
     *
     * Needs the permission `admin`.
     */
    put: operations["putPlan"];
  };
  "/v1/admin/stats/series": {
    /**
     * Get figures over time of all accounts
     * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
     *
     * Needs the permission `admin`.
     */
    get: operations["getAllStatsSeries"];
  };
  "/v1/admin/system": {
    /**
     * Show the processes and partitions of the installation
     * @description Needs the permission `admin`.
     */
    get: operations["getSystem"];
  };
  "/v1/backlog": {
    /**
     * List endpoints with pending deliveries
     * @description Newest endpoint first, each with the first delivery of its order and the reason why that delivery waits. Reads only pending deliveries, so it is fast however long the history is. A page may have fewer endpoints than its limit, even none, although more follow, since it ends after 5,000 endpoints. The last page has a null `cursor`.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["getBacklog"];
  };
  "/v1/billing/usage": {
    /**
     * Get the current month's usage
     * @description Needs the permission `stats:read`.
     */
    get: operations["getUsage"];
  };
  "/v1/catalogue/asyncapi": {
    /**
     * Export the catalogue as AsyncAPI
     * @description The same event types, as the messages of an AsyncAPI 3 document.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["exportAsyncApi"];
  };
  "/v1/catalogue/import": {
    /**
     * Import event types from a document
     * @description Reads the `webhooks` of an OpenAPI 3.1 document, or the messages of an AsyncAPI 3 document, and describes an event type by each: description, group (the first tag), example, deprecated, and schema, including the targets of its references. Fields that the document does not have stay unchanged, and so do other event types. An event type that can't be read is refused by itself; a document without `webhooks`, or without channels and messages, is a 400. At most 500 event types, and 1,048,576 bytes of schemas and examples together, with the targets of references: event types beyond that are refused, and fit in another document.
     *
     * Needs the permission `event-types:write`.
     */
    post: operations["importCatalogue"];
  };
  "/v1/catalogue/openapi": {
    /**
     * Export the catalogue as OpenAPI
     * @description The event types with a description, group, example or schema, as the `webhooks` of an OpenAPI 3.1 document.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["exportOpenApi"];
  };
  "/v1/endpoints": {
    /**
     * List endpoints
     * @description Newest first. With several filters, an endpoint must match all. Without `limit` and `cursor`, the service answers with a JSON array of all endpoints that match instead of a page. This description has the page alone, so that generated clients have one type.
     *
     * Needs the permission `endpoints:read`.
     */
    get: operations["listEndpoints"];
    /**
     * Register an endpoint
     * @description The signing secret is returned only in this answer. Hermod creates one unless you give `signing_secret`.
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
     * @description Put `~` and the `external_id` in the path. If no endpoint of the account has it, this registers the endpoint: `url` is required, and the answer, 201, has the signing secret. Otherwise this changes the endpoint like PATCH. With an `Idempotency-Key`, the same request gets the 201 with the secret again.
     *
     * Needs the permission `endpoints:write`.
     */
    put: operations["putEndpoint"];
    /**
     * Delete an endpoint
     * @description Also cancels its pending deliveries.
     *
     * Needs the permission `endpoints:write`.
     */
    delete: operations["deleteEndpoint"];
    /**
     * Change an endpoint
     * @description Fields that are left out stay as they are. If the endpoint has secret headers, a `url` with another origin (scheme, host or port) needs `headers` in the same request, otherwise it is a 400. So secrets never go to a host that they were not meant for.
     *
     * Needs the permission `endpoints:write`.
     */
    patch: operations["updateEndpoint"];
  };
  "/v1/endpoints/{id}/filter/test": {
    /**
     * Try a filter on kept events
     * @description Lists the account's newest kept events, and the webhooks sent only to this endpoint, each with the result of the endpoint's `event_types` and this `filter`, or of its own filter if you give none. Changes nothing. Reads at most 100, fewer if they are large or the filter takes many steps.
     *
     * Needs the permission `webhooks:read`.
     */
    post: operations["testEndpointFilter"];
  };
  "/v1/endpoints/{id}/queue": {
    /**
     * List an endpoint's pending deliveries, in order
     * @description Needs the permission `webhooks:read`.
     */
    get: operations["getEndpointQueue"];
  };
  "/v1/endpoints/{id}/replay": {
    /**
     * Replay an endpoint's deliveries
     * @description Starts a job that resends the deliveries of a time range in their order, each like `POST /webhooks/{id}/resend`. It skips deliveries that are replays themselves, are pending or erased, or no longer match the endpoint's filter. It decides about each delivery once, when it gets to it.
     *
     * With `missing`, it sends the events that the endpoint never got instead: because it was created later, was inactive and skips events, or had a filter that excluded them. They come in the order in which they were accepted, each once, behind the endpoint's earlier deliveries. Each is a delivery with the `created_at` of its event.
     *
     * The job pauses while 100 deliveries are pending for the endpoint, so that new deliveries never queue behind more. It checks again after 0.1 seconds, then less often, up to every ten seconds. The job fails when the month's webhooks are used up or the endpoint is deleted. An account can run 100 jobs at a time; one more gets a 409.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["replayEndpoint"];
  };
  "/v1/endpoints/{id}/retry": {
    /**
     * Attempt deliveries that wait for a retry now
     * @description Ends the waits of the endpoint's deliveries. They keep their order. Activating an endpoint, and changing its URL, headers, secret or schedule, also ends them. Affects at most 10,000 deliveries, in the order in which they are due.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["retryEndpoint"];
  };
  "/v1/endpoints/{id}/rotate-secret": {
    /**
     * Rotate an endpoint's signing secret
     * @description The new secret is returned only in this answer. During the overlap, `webhook-signature` has a signature by the new secret, then one by each replaced secret (at most the last two). After the overlap, only the new secret signs. A later rotation may end an older overlap early: no overlap lasts longer than the newest one.
     *
     * Needs the permission `endpoints:write`.
     */
    post: operations["rotateSecret"];
  };
  "/v1/endpoints/{id}/stats": {
    /**
     * Get an endpoint's statistics
     * @description Counts at this moment. Fast even for an endpoint with a long history or backlog.
     *
     * Needs the permission `stats:read`.
     */
    get: operations["getEndpointStats"];
  };
  "/v1/endpoints/{id}/stats/series": {
    /**
     * Get an endpoint's figures over time
     * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
     *
     * Needs the permission `stats:read`.
     */
    get: operations["getEndpointStatsSeries"];
  };
  "/v1/endpoints/{id}/test": {
    /**
     * Send a test event
     * @description Sends an event of the type `hermod.test` like any webhook: signed, in the endpoint's order, with retries, and counted
     * against the month's limit. Receivers recognise it by the header `webhook-event: hermod.test`. The endpoint's filter does
     * not apply to it. While the endpoint is inactive, the test event waits like any delivery.
     *
     * With `forged`, the signature is wrong on purpose, and the event is `hermod.test.forged`. It is attempted once. A receiver that
     * verifies answers 4xx: the delivery is then `cancelled`, with the reason `forgery_refused`. After a 2xx it is `failed`, and
     * the attempt has the error `forgery_accepted`. Neither counts against the endpoint's health.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["testEndpoint"];
  };
  "/v1/erasures": {
    /**
     * Erase the payloads of many deliveries
     * @description Starts a job that erases payloads like `DELETE /webhooks/{id}/payload`. Select the deliveries by event type, endpoint or time; at least one is required. An account can run 100 jobs at a time; one more gets a 409.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["erasePayloads"];
  };
  "/v1/event-types": {
    /**
     * List event types
     * @description The event types that the account has sent or given a schema, newest first.
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
    /**
     * Describe an event type
     * @description Sets the event type's description, for people and for tests. Absent fields stay unchanged; null removes a field. The event type need not exist yet. At most 1,000 described event types per account; one more gets a 403.
     *
     * Needs the permission `event-types:write`.
     */
    put: operations["putEventType"];
  };
  "/v1/event-types/{name}/schema": {
    /**
     * Set an event type's schema
     * @description Webhooks of this type are then refused with 400 unless their `data` matches the schema. All processes of the service apply it within two seconds. The event type need not exist yet.
     *
     * Patterns support neither look-around nor back-references. A schema that is too expensive to validate with is refused with 400. The limits: 65,536 bytes; 16 levels of nested schemas; 3,000 values, with `$ref` expanded (1,000 for each item or property); 10,000 instructions for all patterns together; 4 MiB when compiled.
     *
     * Needs the permission `event-types:write`.
     */
    put: operations["putEventTypeSchema"];
    /**
     * Remove an event type's schema
     * @description All processes of the service stop applying it within two seconds.
     *
     * Needs the permission `event-types:write`.
     */
    delete: operations["deleteEventTypeSchema"];
  };
  "/v1/event-types/{name}/schema/check": {
    /**
     * Try a schema on kept payloads
     * @description Lists the newest payloads of this type, of the last day, that the schema would have refused. Changes nothing. Setting a schema checks the same payloads and warns of refusals. Reads at most 100.
     *
     * Needs the permission `webhooks:read`.
     */
    post: operations["checkEventTypeSchema"];
  };
  "/v1/event-types/{name}/schema/versions": {
    /**
     * List the versions of an event type's schema
     * @description Needs the permission `webhooks:read`.
     */
    get: operations["listSchemaVersions"];
  };
  "/v1/events": {
    /**
     * List events
     * @description Newest first: every event that was accepted, whether an endpoint wanted it or not. `data.<field>` works as in `GET /webhooks`: up to 5 fields, a quarter of a second a request, so that a page may have fewer items than you asked for and still a `cursor`.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listEvents"];
    /**
     * Send an event to every endpoint that wants it
     * @description Creates one delivery for every endpoint of the account whose filter the event matches, except endpoints with `feed`. Creates all deliveries or none. Each gets its place in its endpoint's order and counts against the month's limit. An event that no endpoint wants creates no delivery and is not an error: it is kept like any other. At most 10,000 endpoints. The payload is stored once for all of them.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["publishEvent"];
  };
  "/v1/events/{id}": {
    /**
     * Get an event
     * @description Shows its deliveries, and the account's endpoints without one and why: the first 100 of each, with a cursor if there are more.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["getEvent"];
  };
  "/v1/events/{id}/deliveries": {
    /**
     * List an event's deliveries
     * @description The oldest endpoint's delivery first, then the deliveries that a replay of missing events added.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listEventDeliveries"];
  };
  "/v1/events/{id}/missed": {
    /**
     * List the endpoints that did not get an event
     * @description The oldest endpoint first, each with the reason. `POST /endpoints/{id}/replay` with `missing` brings an endpoint the events that it wants and did not get.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listMissedEndpoints"];
  };
  "/v1/events/{id}/payload": {
    /**
     * Erase an event's payload
     * @description Removes the payload for good from the event, from all its deliveries and from their resends. Cancels pending deliveries with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.
     *
     * Needs the permission `webhooks:write`.
     */
    delete: operations["eraseEventPayload"];
  };
  "/v1/events/batch": {
    /**
     * Send many events to every endpoint that wants them
     * @description Works as if you sent the events one after another. Each event is accepted with all its deliveries, or refused with none. One request makes at most 10,000 deliveries. The first event that exceeds this gets a 400, and so do all events after it. Send them in another request, or repeat this one with the same `Idempotency-Key`. All items of a batch share one budget of time for validating payloads against schemas. An item that exceeds it gets a 400; send it in another batch. A thousand ordinary items use less than a tenth of the budget.
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
     * @description The job stops, and deliveries that it has already resent or erased stay so. 409 if it is not running. Cancelling an erasure also needs `webhooks:write`.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["cancelJob"];
  };
  "/v1/jobs/tail": {
    /**
     * Follow jobs
     * @description Begins with the running jobs and the latest 20, then sends each as it changes. The answer is a stream of server-sent events that stays open, with a comment at least every 15 seconds. It ends within five seconds of the credential that it was opened with. At most 20 streams per account and 256 in all in a process; one more gets a 429. A portal session has at most 3, and the portal sessions of an account 20 beside the account's own. A reader that is too slow gets its events later; nothing is left out.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["tailJobs"];
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
     * @description The new key can have no permission that the requesting key lacks. It expires no later: a later `expires_at` is moved to the requesting key's. It is disabled and revoked with the requesting key (`created_by`). A JWT can't create keys. The key's text is returned only in this answer; a repeat with the same Idempotency-Key returns it again, to the requesting key alone. At most 1000 keys per account; one more gets a 409.
     *
     * Needs the permission `keys:write`.
     */
    post: operations["createKey"];
  };
  "/v1/keys/{id}": {
    /**
     * Revoke a key
     * @description Takes effect everywhere within five seconds. Also revokes the keys that it created, and the keys that these created. 403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.
     *
     * Needs the permission `keys:write`.
     */
    delete: operations["deleteKey"];
    /**
     * Enable or disable a key
     * @description Takes effect everywhere within five seconds. Disabling a key also disables the keys that it created, and the keys that these created. Enabling affects this key alone. A key or JWT that expires can't enable a key that expires later. 403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.
     *
     * Needs the permission `keys:write`.
     */
    patch: operations["updateKey"];
  };
  "/v1/me": {
    /**
     * Show the account and the key of the request
     * @description If the request acts for another account, the account is the one in `Hermod-Account`.
     *
     * Needs no permission.
     */
    get: operations["getMe"];
  };
  "/v1/portal-sessions": {
    /**
     * Get the portal session of this request
     * @description Needs no permission.
     */
    get: operations["getPortalSession"];
    /**
     * Make a link to the customer portal
     * @description The link can be opened once, within 60 seconds. It then is a session with these `capabilities` and no others. No session can send webhooks. The key needs the permissions that the capabilities need, and the session ends within five seconds of the key. A session's requests have their own limit, 600 a minute for all sessions of an account, so they never count against sends. A JWT can't make links.
     *
     * Needs the permission `endpoints:write`.
     */
    post: operations["createPortalSession"];
    /**
     * End the portal session of this request
     * @description Needs no permission.
     */
    delete: operations["deletePortalSession"];
  };
  "/v1/portal-sessions/exchange": {
    /**
     * Open a portal session
     * @description For the portal's own page. Send the token of the link as `Authorization: Bearer`; the link then stops working. An embedded page gets a token to keep in memory; otherwise the session is a cookie, which needs the header `x-hermod-portal: 1`.
     *
     * Needs no permission.
     */
    post: operations["openPortalSession"];
  };
  "/v1/sessions": {
    /**
     * Get the session of this request
     * @description Needs no permission.
     */
    get: operations["getSession"];
    /**
     * Begin a session in a browser
     * @description For pages of this origin. Send the API key as `Authorization: Bearer`; the answer sets a cookie that works like the key, and that no script can read. The session ends after 12 hours, after 30 minutes without a request, and within five seconds of its key. Changes by the cookie need the header `x-hermod-csrf`, and `Sec-Fetch-Site: same-origin`, which browsers send over https and on localhost. A request with `Authorization` ignores the cookie. At most 50 sessions per key: one more ends the oldest. After 30 failed attempts a minute, an address gets a 429.
     *
     * Needs no permission.
     */
    post: operations["createSession"];
    /**
     * End the session of this request
     * @description Takes effect everywhere within five seconds, and removes the cookie.
     *
     * Needs no permission.
     */
    delete: operations["deleteSession"];
  };
  "/v1/stats": {
    /**
     * Get the account's statistics
     * @description Needs the permission `stats:read`.
     */
    get: operations["getStats"];
  };
  "/v1/stats/series": {
    /**
     * Get the account's figures over time
     * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
     *
     * Needs the permission `stats:read`.
     */
    get: operations["getStatsSeries"];
  };
  "/v1/webhooks": {
    /**
     * List deliveries
     * @description Newest first. The list has two forms with different parameters, which can't be mixed.
     *
     * **Pages**: use `page`, `per_page` or `event`, or no parameter at all. `total` is exact.
     * Pages by both `status` and `event` wait for each other: one runs per account, two in all.
     *
     * **Cursors**: use any of `limit`, `cursor`, `iterator`, `event_type`, `endpoint_id`, `after`, `before`,
     * `response_status`, `error`, `data.…`. To follow the list, use an `iterator`: it reads oldest first and never skips a
     * delivery. Begin with `start` or `now`, then send the `iterator` of the last answer, for as long as you like. `cursor`
     * is null when you have caught up.
     *
     * **Search**: `response_status`, `error` and `data.<field>` work with cursors only, since their results are not counted.
     * A request searches for a quarter of a second if it uses one of them, several other filters together, or an iterator with a
     * filter. So a page may have fewer items than you asked for, even none, and still a `cursor` to continue from. Any other filter
     * makes a search faster. Searches by `data.<field>` wait for each other, for up to a second: one runs per account, two in all.
     * So do other searches that take longer than a moment.
     *
     * `data.<field>=<value>` finds payloads with this field at their top level. Its value must be a string with this text, or a
     * number or boolean written exactly like this: `data.order_id=42` finds `{"order_id":42}` and `{"order_id":"42"}`, not
     * `{"order_id":42.0}`. The field's name extends to the equals sign: `data.a.b` is the field `a.b`. You can give
     * 5 fields at most, and all must match. Payloads with an escaped NUL (`\u0000`) or half of a
     * surrogate pair are not found.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["listWebhooks"];
    /**
     * Send a webhook
     * @description Answers when the delivery is safely stored. By default, Hermod attempts an endpoint's deliveries in the order in which it accepted them. If the endpoint's filter excludes the event, the delivery is recorded as `cancelled` with the reason `event_filter`.
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
     * @description Hermod stops attempting the delivery, and continues with the deliveries behind it at once. An attempt that is under way can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["cancelWebhook"];
  };
  "/v1/webhooks/{id}/payload": {
    /**
     * Erase a delivery's payload
     * @description Removes the payload for good: also from every delivery that resends this one, and if it was sent as an event, from the event and all its deliveries to any endpoint. Attempts and counts stay. Pending deliveries among them are cancelled with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.
     *
     * Needs the permission `webhooks:write`.
     */
    delete: operations["erasePayload"];
  };
  "/v1/webhooks/{id}/resend": {
    /**
     * Resend a delivery
     * @description Creates a new delivery at the end of the endpoint's order, by the same rules as a send. It has its own id and history, and `replay_of` names the original. Receivers get the original's id as `webhook-id`, so that they can recognise a duplicate. 409 if the delivery is pending, its payload is erased or its endpoint is deleted.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["resendWebhook"];
  };
  "/v1/webhooks/{id}/retry": {
    /**
     * Attempt a waiting delivery now
     * @description Ends its wait for a retry; its schedule continues as if the wait were over. 409 if the delivery has ended, if its endpoint is inactive, or if another delivery is in front of it in its order, which the message names.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["retryWebhook"];
  };
  "/v1/webhooks/batch": {
    /**
     * Send many webhooks
     * @description Works as if you sent the webhooks one after another, so an endpoint gets them in the order of the items. Each item is accepted or refused by itself. A repeat with the same Idempotency-Key sends the missing items and returns the already accepted ones. All items of a batch share one budget of time for validating payloads against schemas. An item that exceeds it gets a 400; send it in another batch. A thousand ordinary items use less than a tenth of the budget.
     *
     * Needs the permission `webhooks:write`.
     */
    post: operations["sendWebhooks"];
  };
  "/v1/webhooks/resend": {
    /**
     * Resend many deliveries
     * @description Starts a job that resends deliveries in their order, each like `POST /webhooks/{id}/resend`: up to 1,000 by their `ids`, or up to 10,000 that a `filter` selects at this moment; more are a 400. With `dry_run`, it counts them exactly instead.
     *
     * Deliveries are skipped if they are pending, their payload is erased, their endpoint is deleted or its filter excludes them now. A filter also skips deliveries that are resends themselves, so that nothing is sent twice by one job.
     *
     * The job passes over an endpoint while 100 deliveries are pending for it, and comes back to it later: an endpoint that is down delays its own deliveries alone. The job fails when the month's webhooks are used up. To replay everything of one endpoint, however much, use `POST /endpoints/{id}/replay`.
     *
     * Needs the permission `webhooks:retry`.
     */
    post: operations["resendWebhooks"];
  };
  "/v1/webhooks/summary": {
    /**
     * Count deliveries by status and answer
     * @description Counts the deliveries that match the filters of the list with cursors, newest first, for a second at most. If the time is over, `complete` is false, and deliveries accepted before `oldest_at` are not counted. Use `after` to count less. One count runs per account, two in all; others wait.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["summarizeWebhooks"];
  };
  "/v1/webhooks/tail": {
    /**
     * Follow deliveries
     * @description Sends each delivery once, as `delivery`, in the order of acceptance. While it is pending, and among the account's latest
     * 200 of this stream, its changes follow as `update`. With `status`, a delivery is sent once it has this status.
     *
     * Nothing is left out: after an interruption, send the `id` of the last event as `Last-Event-ID` or `iterator`, as browsers do.
     * The iterator of `GET /webhooks` works as well. Changes of deliveries from before the interruption are not sent.
     *
     * The answer is a stream of server-sent events that stays open, with a comment at least every 15 seconds. It ends within five seconds of the credential that it was opened with. At most 20 streams per account and 256 in all in a process; one more gets a 429. A portal session has at most 3, and the portal sessions of an account 20 beside the account's own. A reader that is too slow gets its events later; nothing is left out.
     *
     * Needs the permission `webhooks:read`.
     */
    get: operations["tailWebhooks"];
  };
}

export interface webhooks {
  "delivery": {
    /** A webhook */
    post: operations["receiveWebhook"];
  };
  "enveloped": {
    /** A webhook, if the endpoint has the format `envelope` */
    post: operations["receiveEnvelope"];
  };
  "feed": {
    /** A feed event, if the endpoint has `feed` and the format `payload` */
    post: operations["receiveFeedEvent"];
  };
}

export interface components {
  schemas: {
    /** @description Deliveries accepted for the endpoint. */
    AcceptedCounts: {
      last_day: number;
      last_hour: number;
      last_minute: number;
    };
    AcceptedDelivery: {
      attempt_count: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description When it is, or was, due. Present only if it was scheduled.
       */
      deliver_after?: string;
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
      status: components["schemas"]["DeliveryStatus"];
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
    AccountDelivery: {
      account_id: string;
      attempt_count: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
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
      /** @description The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
      response_status: number | null;
      status: components["schemas"]["DeliveryStatus"];
    };
    AccountDeliveryPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["AccountDelivery"][];
    };
    AccountEndpoint: {
      account_id: string;
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type: string;
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types`, separated by commas. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description The condition in CEL that events must match beside their type. */
      filter: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format: components["schemas"]["BodyFormat"];
      /** @description The headers of requests to the endpoint, without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the secret headers. */
      sensitive_headers: string[];
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent: boolean;
      url: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive: components["schemas"]["WhileInactive"];
    };
    AccountEndpointPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["AccountEndpoint"][];
    };
    AccountEvent: {
      account_id: string;
      /** Format: date-time */
      created_at: string;
      /** @description The number of deliveries that were accepted with the event. */
      delivery_count: number;
      event: string | null;
      /** @description Your own id of the event. Present only if you gave one. */
      event_id?: string;
      /** @description Begins with `evt_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
    };
    AccountEventPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["AccountEvent"][];
    };
    AccountPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Account"][];
    };
    AccountUpsert: {
      name?: string;
      /** @description The name of a plan. */
      plan?: string;
    };
    /** @enum {string} */
    ActorKind: "key" | "jwt" | "portal" | "person";
    Attempt: {
      /** @description The address and port that Hermod connected to, or tried last. */
      address: string | null;
      /** @description Counts from 1. */
      attempt: number;
      duration_ms: number;
      /** @description Why there was no complete HTTP response: `timeout`, `invalid_url`, `https_required`, `blocked_address`, `dns`, `connection_refused`, `connection_reset`, `connection_failed`, `tls`, `proxy`, `mail_server`, `protocol`, `response_too_large`, `forgery_accepted`. A delivered delivery can have an error beside a 2xx: the receiver had the whole request, and only its answer's body broke off. */
      error: string | null;
      /** @description The reason, where more is known: for `blocked_address` `internal_name`, `recipient_not_permitted`; for `timeout` `not_connected`, `no_response`, `request_not_taken`, `answer_cut_short`; for `connection_reset` `request_not_taken`, `answer_cut_short`; for `dns` `name_not_found`, `no_answer`, `server_failure`, `query_refused`, `unreadable_answer`, `too_many_lookups`; for `connection_failed` `network_unreachable`, `host_unreachable`, `connection_timed_out`; for `tls` `certificate_expired`, `certificate_not_yet_valid`, `certificate_wrong_name`, `certificate_self_signed`, `certificate_unknown_authority`, `certificate_chain_incomplete`, `certificate_invalid`, `client_certificate_required`, `tls_version`, `http2_only`, `not_tls`, `unknown_name`, `handshake_refused`, `handshake_too_large`, `renegotiation`; for `proxy` `proxy_unreachable`, `proxy_credentials`, `proxy_timeout`, `tunnel_refused`; for `mail_server` `mail_server_not_set`, `mail_server_unreachable`, `mail_server_tls`, `mail_server_credentials`, `mail_server_refused`, `mail_server_timeout`, `mail_server_closed`. If Hermod may not send to the target's addresses, it ends with `not permitted: ` and the kinds of addresses, such as `private, link_local`. */
      error_detail: string | null;
      /** @description The redirect's target, its first 2,048 bytes. Hermod does not follow redirects. */
      location: string | null;
      /** @description The headers that were sent. Values of the endpoint's `sensitive_headers` are `***`. Null for an e-mail, or if nothing was sent. */
      request_headers: {
        [key: string]: string;
      } | null;
      /** @description The beginning, up to HERMOD_RESPONSE_BODY bytes: 4 KiB by default. For an e-mail the mail server's reply. */
      response_body: string | null;
      /** @description The headers of the response, names in lower case, as far as they fit into 4096 characters. The values of a repeated header are joined by commas. Null if there was no HTTP response. */
      response_headers: {
        [key: string]: string;
      } | null;
      /** @description The receiver's HTTP status, or the code of the mail server's reply to an e-mail, such as 250; 0 if there was no response. */
      status: number;
      /** Format: date-time */
      timestamp: string;
      timing: components["schemas"]["AttemptTiming"];
    };
    /** @description Attempts by the class of their answer; `none`: there was no HTTP response. */
    AttemptCounts: {
      "1xx": number;
      "2xx": number;
      "3xx": number;
      "4xx": number;
      "5xx": number;
      none: number;
      other: number;
    };
    /** @enum {string} */
    AttemptError: "timeout" | "invalid_url" | "https_required" | "blocked_address" | "dns" | "connection_refused" | "connection_reset" | "connection_failed" | "tls" | "proxy" | "mail_server" | "protocol" | "response_too_large" | "forgery_accepted";
    /** @description Where the time went. `duration_ms` is the whole, to the end of the body. */
    AttemptTiming: ({
      /** @description The connection; null if one was open already, or none came about. */
      connect_ms: number | null;
      /** @description From the first byte of the request to the first byte of the response. */
      first_byte_ms: number | null;
      /** @description The look-up of the name; null if it was known, or the URL has an address. */
      lookup_ms: number | null;
      /** @description The TLS handshake; null without one. */
      tls_ms: number | null;
    }) | null;
    AuditActor: {
      /** @description The key's id. */
      id: string | null;
      kind: components["schemas"]["ActorKind"];
      /** @description The key's name at the time, or the person. */
      name: string | null;
      /** @description The session in a browser, if it was one. */
      session_id: string | null;
    };
    AuditEntry: {
      /** @description The account that the change is about. */
      account_id: string;
      actor: components["schemas"]["AuditActor"];
      /** @description The fields of the request. `…` replaces values that may be secret, or are large. */
      after: {
        [key: string]: unknown;
      } | null;
      /** Format: date-time */
      at: string;
      /** @description The values of the changed fields before, where they are known and small. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description Begins with `aud_`. */
      id: string;
      /** @description The `operationId` of the request. */
      operation: string;
      /** @description The request's `x-request-id`. */
      request_id: string;
      /** @description The id or the name of the changed or created resource. */
      target: string | null;
    };
    AuditPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["AuditEntry"][];
    };
    Backlog: {
      endpoint_id: string;
      head: components["schemas"]["ListedDelivery"];
      /** @description Its pending deliveries. Exact below 1,000, which means that many or more. */
      pending: number;
      /**
       * Format: date-time
       * @description When the first of them was accepted.
       */
      since: string;
    };
    BacklogPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Backlog"][];
    };
    /** @enum {string} */
    BodyFormat: "payload" | "envelope" | "slack" | "teams" | "email";
    /** @enum {string} */
    CancelReason: "endpoint_deleted" | "event_filter" | "requested" | "erased" | "forgery_refused";
    /** @enum {string} */
    Capability: "view" | "manage_endpoints" | "retry" | "view_payloads" | "test";
    /** @description The document. */
    CatalogueDocument: {
      [key: string]: unknown;
    };
    CatalogueImport: {
      /** @description An OpenAPI 3.1 document with `webhooks`, or an AsyncAPI 3 document, as JSON. */
      document: {
        [key: string]: unknown;
      };
    };
    CatalogueImportResult: {
      /** @description In the order of the document. */
      data: components["schemas"]["ImportedEventType"][];
      imported: number;
      refused: number;
    };
    CreateAccount: {
      /** @description Your own id, which must be unique. Paths accept `~` and this id in place of Hermod's id. */
      external_id?: string | null;
      name: string;
      /** @description The name of a plan. */
      plan?: string | null;
    };
    CreatedEndpoint: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type: string;
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types`, separated by commas. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description The condition in CEL that events must match beside their type. */
      filter: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format: components["schemas"]["BodyFormat"];
      /** @description The headers of requests to the endpoint, without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the secret headers. */
      sensitive_headers: string[];
      /** @description Begins with `whsec_`; shown only this once. */
      signing_secret: string;
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent: boolean;
      url: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive: components["schemas"]["WhileInactive"];
    };
    CreatedKey: {
      /** Format: date-time */
      created_at: string;
      /** @description The key that created this one. Revoking or disabling it does the same to this key. Null: the operator created it, with `HERMOD_ADMIN_KEY` or with an administrator's key of another account; their end changes nothing here. */
      created_by: string | null;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Begins with `key_`. */
      id: string;
      is_active: boolean;
      /** @description The key's text, shown only in this answer. */
      key: string;
      /**
       * Format: date-time
       * @description To the minute; null if the key was never used.
       */
      last_used_at: string | null;
      name: string | null;
      permissions: components["schemas"]["Permission"][];
    };
    CreateEndpoint: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type?: string | null;
      description?: string | null;
      /** @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both. Default: `"*"`. */
      event_filter?: string | null;
      /** @description The same filter as a list; here event types may contain commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[] | null;
      /** @description Your own id, which must be unique. Paths accept `~` and this id in place of Hermod's id. */
      external_id?: string | null;
      /** @description Whether the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter. POST /events skips the endpoint, and POST /webhooks refuses it. At most 10 per account; one more gets a 409. Default: `false`. */
      feed?: boolean | null;
      /** @description A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`. It knows `event` (null without a type), `data` and the endpoint's `metadata`. An event for which it is false, or fails with an error, does not go to the endpoint. Null for no condition. */
      filter?: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format?: components["schemas"]["BodyFormat"] | null;
      /** @description Headers of every request to the endpoint, from the next attempt on. A new value replaces all headers, including secret ones; `{}` removes them all. At most 20 headers, with 6144 characters together. Names are tokens of at most 128 characters, stored in lower case; values are printable ASCII, at most 4096 characters. You can't set Hermod's own headers (`webhook-*`, `content-type`, `user-agent`), nor headers that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared like CGI and WSGI compare them: case is ignored, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description While false, deliveries to the endpoint stay pending and keep their order. Default: `true`. */
      is_active?: boolean | null;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight?: number | null;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata?: {
        [key: string]: string;
      } | null;
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted?: components["schemas"]["OnExhausted"] | null;
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering?: components["schemas"]["Ordering"] | null;
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[] | null;
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: stored encrypted, never shown. If the endpoint has secret headers, a change of `headers` must include this list, since answers don't show the values that it replaces. `[]` if none is secret. */
      sensitive_headers?: string[] | null;
      /** @description A secret that the receiver already has, for example when you migrate to Hermod: `whsec_` and the base64 (with padding) of 24 to 64 random bytes. By default Hermod creates a new one. */
      signing_secret?: string | null;
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent?: boolean | null;
      /** @description Where deliveries are sent: an http or https URL. With `format: email` and `feed: true`, `mailto:` and one address that the service permits. */
      url: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive?: components["schemas"]["WhileInactive"] | null;
    };
    CreateErasure: {
      /**
       * Format: date-time
       * @description Selects deliveries created at this moment or later (ISO 8601).
       */
      after?: string;
      /**
       * Format: date-time
       * @description Selects deliveries created before this moment (ISO 8601). Default: now.
       */
      before?: string;
      /** @description Selects deliveries to this endpoint. The endpoint may be deleted already. */
      endpoint_id?: string;
      /** @description Selects deliveries of this event type. */
      event?: string;
    };
    CreateEvent: {
      /** @description The payload, any JSON value. The receiver gets exactly these bytes, unless its endpoint has another `format`. */
      data: unknown;
      /** @description When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION. Seconds may also be a JSON number. Until then it has no `sequence` and holds nothing back; then it takes its place behind what was sent before. A time that has passed means now. */
      deliver_after?: string | null;
      event?: string | null;
      /** @description Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. For 24 hours, another request with this `event_id` gets the answer of the first, or a 409 if its event is different; an `Idempotency-Key` is then ignored. Receivers get `<event_id>:<endpoint id>` as `webhook-id`. */
      event_id?: string | null;
      /** @description Groups deliveries, for example by a customer's id. An endpoint with the `ordering` `by_key` gets deliveries with the same key in order. Every receiver gets the key as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    CreateEvents: {
      events: components["schemas"]["CreateEvent"][];
    };
    CreateKey: {
      /**
       * Format: date-time
       * @description When the key expires (ISO 8601). By default and at the latest when the requesting key expires.
       */
      expires_at?: string | null;
      name?: string | null;
      /** @description The key's permissions. Default: all but `accounts:act` and `admin`. Null is refused, so that a mistake never grants them all. */
      permissions?: components["schemas"]["Permission"][];
    };
    CreatePortalSession: {
      /** @description The account's id or external id. A `~` at the start is ignored if no account has the external id as written. Another account than the key's own needs the permission `accounts:act`. */
      account?: string | null;
      /** @description What the session may do: see endpoints and deliveries, change endpoints, retry and resend, see payloads and answers, send test events. Without `view_payloads` it comes by no payload: it creates no endpoint, changes no scheme, host or port of a URL, widens no filter (with `event_types`: not beyond them), and resends nothing that was meant for another origin. `endpoints` and `payloads` are short for `manage_endpoints` and `view_payloads`. */
      capabilities: components["schemas"]["RequestedCapability"][];
      /** @description The endpoints that the session sees. Default: all of the account's. */
      endpoint_ids?: string[] | null;
      /** @description An upper bound, as patterns like those of an endpoint's `event_types`: the session can't let an endpoint get other event types, and sees, searches and resends no payloads of others. Default: all. */
      event_types?: string[] | null;
      locale?: string | null;
      /** @description The origin of the page that embeds the portal, one of `HERMOD_PORTAL_ORIGINS`. */
      origin?: string | null;
      product_name?: string | null;
      theme?: components["schemas"]["PortalTheme"];
      /** @description The duration of the session from its opening, in seconds. Default: 3600. */
      ttl?: number | null;
    };
    CreateReplay: {
      /**
       * Format: date-time
       * @description Selects deliveries created at this moment or later (ISO 8601).
       */
      after?: string;
      /**
       * Format: date-time
       * @description Selects deliveries created before this moment (ISO 8601). Default: now.
       */
      before?: string;
      /** @description Selects deliveries of this event type. */
      event?: string;
      /** @description True: sends the events of the range that the endpoint's filter matches now and of which it has no delivery. */
      missing?: boolean;
      /** @description Selects deliveries with this status. Default: delivered and failed. Not together with `missing`. */
      status?: components["schemas"]["EndedStatus"];
    };
    CreateSchema: {
      /** @description A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents. */
      schema: {
        [key: string]: unknown;
      };
    };
    CreateWebhook: {
      /** @description The payload, any JSON value. The receiver gets exactly these bytes, unless its endpoint has another `format`. */
      data: unknown;
      /** @description When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION. Seconds may also be a JSON number. Until then it has no `sequence` and holds nothing back; then it takes its place behind what was sent before. A time that has passed means now. */
      deliver_after?: string | null;
      endpoint_id: string;
      event?: string | null;
      /** @description Groups deliveries, for example by a customer's id. An endpoint with the `ordering` `by_key` gets deliveries with the same key in order. Every receiver gets the key as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    CreateWebhooks: {
      webhooks: components["schemas"]["CreateWebhook"][];
    };
    Deleted: {
      deleted: boolean;
    };
    Delivery: {
      attempt_count: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
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
      /** @description The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
      response_status: number | null;
      status: components["schemas"]["DeliveryStatus"];
    };
    DeliveryDetail: {
      attempt_count: number;
      attempts: components["schemas"]["Attempt"][];
      /** @description The number of deliveries behind it in its order; 1,000 means that number or more. Present only while pending. */
      behind?: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
      /** Format: date-time */
      completed_at: string | null;
      /** Format: date-time */
      created_at: string;
      /** @description The payload; null once it is erased (`erased_at`). */
      data: unknown;
      /**
       * Format: date-time
       * @description When it is, or was, due. Present only if it was scheduled.
       */
      deliver_after?: string;
      endpoint_id: string;
      /**
       * Format: date-time
       * @description When the payload was erased; present only if it was.
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
      /** @description The id of the event of the delivery or its original; begins with `evt_`. */
      of_event?: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description Its place in its order, 1 for the first; 1,001 means that or further back. Present only while pending. */
      place?: number;
      /** @description The id of the original delivery, if this one resends it. */
      replay_of?: string;
      /** @description The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
      response_status: number | null;
      /** @description The delivery's number at its endpoint; null if the filter excluded it, or until it is due. */
      sequence: number | null;
      status: components["schemas"]["DeliveryStatus"];
      waiting_for?: components["schemas"]["WaitingFor"];
    };
    DeliveryFailedData: {
      attempt_count: number;
      /** Format: date-time */
      created_at: string;
      endpoint_id: string;
      /** @description The error of the last attempt, like `error_detail`. */
      error: string | null;
      error_detail: string | null;
      event: string | null;
      /**
       * @description It was pending for longer than HERMOD_RETENTION.
       * @enum {string|null}
       */
      failure_reason: "expired" | null;
      /** @description The delivery's id; begins with `wh_`. */
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
       * @description When its next attempt begins; null if one is under way or due now.
       */
      next_attempt_at: string | null;
      sequence: number;
      /**
       * Format: date-time
       * @description When its first attempt began; null if there was none.
       */
      since: string | null;
    };
    DeliveryListing: {
      /** @description Cursors: send it as `cursor` to get the next page; null on the last page. */
      cursor?: string | null;
      /** @description Cursors: the deliveries. */
      data?: components["schemas"]["ListedDelivery"][];
      /** @description Pages: the deliveries. */
      deliveries?: components["schemas"]["Delivery"][];
      /** @description Cursors: present if `iterator` was given; send it to continue. */
      iterator?: string;
      /** @description Pages: the page's number. */
      page?: number;
      /** @description Pages: the most deliveries of a page. */
      per_page?: number;
      /** @description Pages: the number of deliveries that match. */
      total?: number;
    };
    /** @enum {string} */
    DeliveryStatus: "pending" | "delivered" | "failed" | "cancelled";
    Dependencies: {
      /** @description Whether NATS answers this process. */
      nats: boolean;
      /** @description How long it took to answer this request's statement. */
      postgres_latency_ms: number;
      postgres_version: string;
    };
    /** @enum {string} */
    DisabledReason: "failing" | "gone" | "unwanted" | "exhausted";
    /** @enum {string} */
    EndedStatus: "delivered" | "failed" | "cancelled";
    Endpoint: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type: string;
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types`, separated by commas. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description The condition in CEL that events must match beside their type. */
      filter: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format: components["schemas"]["BodyFormat"];
      /** @description The headers of requests to the endpoint, without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the secret headers. */
      sensitive_headers: string[];
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent: boolean;
      url: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive: components["schemas"]["WhileInactive"];
    };
    EndpointBlockedData: {
      /** @description Deliveries that wait behind it in its order, counted up to 1,000. */
      behind: number;
      /** @description The delivery in front; begins with `wh_`. */
      delivery_id: string;
      /** @description The endpoint's id; begins with `ep_`. */
      id: string;
      /** @description The delivery's ordering key; null if it has none. */
      ordering_key: string | null;
      /** @description The `error` of the endpoint's last failed attempt, or `status` if the receiver answered. Null if only Hermod or its egress proxy failed. */
      reason: string | null;
      /**
       * Format: date-time
       * @description When its first attempt began.
       */
      since: string;
      url: string;
    };
    /** @description A delivery has been retried for HERMOD_BLOCKED_AFTER, and holds back the deliveries behind it in its order. Sent once for this delivery. While it is pending, no other delivery of the endpoint is reported. */
    EndpointBlockedEvent: {
      data: components["schemas"]["EndpointBlockedData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "endpoint.blocked";
    };
    EndpointDisabledData: {
      /** @description For the reason `exhausted`: the delivery that the endpoint stopped at; begins with `wh_`. Otherwise null. */
      delivery_id: string | null;
      /**
       * Format: date-time
       * @description When the endpoint began to fail: every attempt since then has failed.
       */
      failing_since: string;
      /** @description The endpoint's id; begins with `ep_`. */
      id: string;
      /** @description `failing`: every attempt failed for as long as HERMOD_DISABLE_AFTER. `gone`: the receiver answered 410 twice, at least a minute apart. `unwanted`: the receiver answered with the header `webhook-delivery: disable`. `exhausted`: a delivery used up its schedule, and the endpoint, which has `on_exhausted: pause`, stops at it. */
      reason: components["schemas"]["DisabledReason"];
      url: string;
    };
    /** @description Hermod set an endpoint inactive. */
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
    EndpointExpiringData: {
      /** @description The number of deliveries that expire in that time, counted up to 10,000. */
      deliveries: number;
      /** @description The first delivery that expires; begins with `wh_`. */
      delivery_id: string;
      /**
       * Format: date-time
       * @description When it expires.
       */
      expires_at: string;
      /** @description The endpoint's id; begins with `ep_`. */
      id: string;
      url: string;
    };
    /** @description Pending deliveries of an endpoint end as `failed` with the reason `expired` within a day (within a quarter of HERMOD_RETENTION, if that is less), because they have waited for that long. Sent at most once in that time for each endpoint. */
    EndpointExpiringEvent: {
      data: components["schemas"]["EndpointExpiringData"];
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @enum {string} */
      type: "endpoint.expiring";
    };
    EndpointFailingData: {
      /**
       * Format: date-time
       * @description When the endpoint began to fail: every attempt since then has failed.
       */
      failing_since: string;
      /** @description The endpoint's id; begins with `ep_`. */
      id: string;
      url: string;
    };
    /** @description Every attempt at an endpoint has failed for a quarter of HERMOD_DISABLE_AFTER. If this continues, Hermod sets it inactive. */
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
      /** @description No delivery with a `sequence` up to this one is pending: each was delivered, failed or was cancelled. A receiver that has all of them but those that failed or were cancelled has missed nothing. 0: there is none. */
      complete_up_to: number;
      last_failure: components["schemas"]["LastFailure"];
      /**
       * Format: date-time
       * @description The last success, known within a minute; null: there was none.
       */
      last_success_at: string | null;
      /**
       * Format: date-time
       * @description When the first of them was accepted; null if there is none.
       */
      oldest_pending_at: string | null;
      /** @description Pending deliveries. Exact below 1000; 1000 means that many or more. */
      pending: number;
      /** @description For a disabled endpoint: `failing`: every attempt failed for as long as HERMOD_DISABLE_AFTER. `gone`: the receiver answered 410 twice, at least a minute apart. `unwanted`: the receiver answered with the header `webhook-delivery: disable`. `exhausted`: a delivery used up its schedule, and the endpoint, which has `on_exhausted: pause`, stops at it. For a failing or blocked endpoint: the `error` of its last failed attempt, or `status` if the receiver answered. */
      reason: string | null;
      /**
       * Format: date-time
       * @description When the endpoint entered this state; null while healthy. For a blocked endpoint: the first attempt of the delivery that holds back its order.
       */
      since: string | null;
      /** @description `healthy`: the last attempt succeeded, or there was none. `failing`: every attempt since `since` has failed. `blocked`: a delivery has been retried for HERMOD_BLOCKED_AFTER, and holds back those behind it in its order. `disabled`: Hermod set the endpoint inactive. `paused`: the account set it inactive. */
      state: components["schemas"]["HealthState"];
    };
    EndpointPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Endpoint"][];
    };
    EndpointRecoveredData: {
      /**
       * Format: date-time
       * @description When the endpoint began to fail: every attempt since then has failed.
       */
      failing_since: string;
      /** @description The endpoint's id; begins with `ep_`. */
      id: string;
      url: string;
    };
    /** @description An endpoint works again after it failed for at least a minute. */
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
      /** @description Pending deliveries. Exact below 10000; 10000 means that many or more. */
      pending: number;
      recent: components["schemas"]["RecentAttempts"];
    };
    EndpointUpsert: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type?: string;
      description?: string | null;
      /** @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both. */
      event_filter?: string;
      /** @description The same filter as a list; here event types may contain commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[];
      /** @description Whether the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter. POST /events skips the endpoint, and POST /webhooks refuses it. At most 10 per account; one more gets a 409. */
      feed?: boolean;
      /** @description A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`. It knows `event` (null without a type), `data` and the endpoint's `metadata`. An event for which it is false, or fails with an error, does not go to the endpoint. Null for no condition. */
      filter?: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format?: components["schemas"]["BodyFormat"];
      /** @description Headers of every request to the endpoint, from the next attempt on. A new value replaces all headers, including secret ones; `{}` removes them all. At most 20 headers, with 6144 characters together. Names are tokens of at most 128 characters, stored in lower case; values are printable ASCII, at most 4096 characters. You can't set Hermod's own headers (`webhook-*`, `content-type`, `user-agent`), nor headers that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared like CGI and WSGI compare them: case is ignored, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description While false, deliveries to the endpoint stay pending and keep their order. */
      is_active?: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight?: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata?: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted?: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering?: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[];
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: stored encrypted, never shown. If the endpoint has secret headers, a change of `headers` must include this list, since answers don't show the values that it replaces. `[]` if none is secret. */
      sensitive_headers?: string[];
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent?: boolean;
      /** @description Where deliveries are sent: an http or https URL. With `format: email` and `feed: true`, `mailto:` and one address that the service permits. */
      url?: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive?: components["schemas"]["WhileInactive"];
    };
    Envelope: {
      /** @description The payload. */
      data: unknown;
      /** @description As `webhook-id`. */
      id: string;
      /**
       * Format: date-time
       * @description When the event was accepted; of a resend, the first delivery.
       */
      timestamp: string;
      /** @description The event; null without one. */
      type: string | null;
    };
    ErasedPayload: {
      erased: boolean;
    };
    ErrorAnswer: {
      error: components["schemas"]["ErrorDetail"];
    };
    /** @enum {string} */
    ErrorCode: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    ErrorDetail: {
      code: components["schemas"]["ErrorCode"];
      /** @description Explains the error to people. Don't parse it: it may change. */
      message: string;
    };
    Event: {
      /** Format: date-time */
      created_at: string;
      /** @description The number of deliveries that were accepted with the event. */
      delivery_count: number;
      event: string | null;
      /** @description Your own id of the event. Present only if you gave one. */
      event_id?: string;
      /** @description Begins with `evt_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
    };
    EventDeliveries: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Delivery"][];
    };
    EventDetail: {
      /** Format: date-time */
      created_at: string;
      /** @description The payload; null once it is erased (`erased_at`). */
      data: unknown;
      /** @description The first 100, the oldest endpoint's first. */
      deliveries: components["schemas"]["Delivery"][];
      /** @description Null if these are all; else send it as `cursor` to `GET /events/{id}/deliveries`. */
      deliveries_cursor: string | null;
      /** @description The number of deliveries that were accepted with the event. */
      delivery_count: number;
      /**
       * Format: date-time
       * @description When the payload was erased; present only if it was.
       */
      erased_at?: string;
      event: string | null;
      /** @description Your own id of the event. Present only if you gave one. */
      event_id?: string;
      /** @description Begins with `evt_`. */
      id: string;
      /** @description The first 100 endpoints of the account without a delivery of the event, and why. Without endpoints with `feed`. */
      missed: components["schemas"]["MissedEvent"][];
      /** @description Null if these are all; else send it as `cursor` to `GET /events/{id}/missed`. */
      missed_cursor: string | null;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
    };
    EventPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Event"][];
    };
    EventResult: {
      error?: components["schemas"]["ErrorDetail"];
      event?: components["schemas"]["PublishedEvent"];
      /** @description The HTTP status that the item would have got in a request of its own. */
      status: number;
    };
    EventResults: {
      /** @description In the order of the items. */
      results: components["schemas"]["EventResult"][];
    };
    EventType: {
      /**
       * Format: date-time
       * @description When the event type was first sent or described.
       */
      created_at: string;
      deprecated: boolean;
      description: string | null;
      event_type: string;
      /** @description A payload, at most 16,384 bytes. Tests send it. Null: none. */
      example: unknown;
      group: string | null;
      /** @description A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents. */
      schema: {
        [key: string]: unknown;
      } | null;
      /** @description The number of changes of the schema; 0 if it never had one. */
      schema_version: number;
    };
    EventTypeDescription: {
      /** @description True if receivers should no longer use it. Null: false. */
      deprecated?: boolean | null;
      description?: string | null;
      /** @description A payload, at most 16,384 bytes. Tests send it. Null: none. */
      example?: unknown;
      /** @description A group for lists, such as `Orders`. */
      group?: string | null;
    };
    EventTypePage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["EventType"][];
    };
    EventTypeWithSchema: {
      /**
       * Format: date-time
       * @description When the event type was first sent or described.
       */
      created_at: string;
      deprecated: boolean;
      description: string | null;
      event_type: string;
      /** @description A payload, at most 16,384 bytes. Tests send it. Null: none. */
      example: unknown;
      group: string | null;
      /** @description A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents. */
      schema: {
        [key: string]: unknown;
      } | null;
      /** @description The number of changes of the schema; 0 if it never had one. */
      schema_version: number;
      /** @description The number of the newest payloads of the last day that the schema would have refused; empty if none. */
      warnings: string[];
    };
    /** @description A report of Hermod about its own work, to each endpoint of the account with `feed` whose filter matches: signed, in order and at least once, like any delivery. These are listed and counted in the statistics, but not in the month's webhooks. Deliveries and endpoints of the feed itself are never reported on. */
    FeedEvent: components["schemas"]["DeliveryFailedEvent"] | components["schemas"]["EndpointFailingEvent"] | components["schemas"]["EndpointBlockedEvent"] | components["schemas"]["EndpointDisabledEvent"] | components["schemas"]["EndpointRecoveredEvent"] | components["schemas"]["EndpointExpiringEvent"] | components["schemas"]["UsageLimitNearEvent"];
    /** @enum {string} */
    FilterOutcome: "match" | "event_types" | "filter" | "error";
    FilterTest: {
      /**
       * Format: date-time
       * @description Only events and webhooks created at or after this time.
       */
      after?: string | null;
      /**
       * Format: date-time
       * @description Only events and webhooks created before this time.
       */
      before?: string | null;
      /** @description A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`. It knows `event` (null without a type), `data` and the endpoint's `metadata`. An event for which it is false, or fails with an error, does not go to the endpoint. Null for no condition. */
      filter?: string | null;
    };
    FilterTestItem: {
      /** Format: date-time */
      created_at: string;
      /** @description The reason for which the filter fails. */
      error?: string;
      event: string | null;
      /** @description An event, `evt_…`, or a webhook that was sent to the endpoint alone, `wh_…`. */
      id: string;
      /** @description `match`: the endpoint would get it. `event_types`, `filter`: this part excludes it. `error`: the filter fails, which excludes it too. */
      outcome: components["schemas"]["FilterOutcome"];
    };
    FilterTestResult: {
      /** @description The newest first. */
      data: components["schemas"]["FilterTestItem"][];
      /** @description At most 100. */
      examined: number;
      matched: number;
    };
    /** @enum {string} */
    HealthState: "healthy" | "failing" | "blocked" | "disabled" | "paused";
    ImportedEventType: {
      event_type: string;
      outcome: components["schemas"]["ImportOutcome"];
      /** @description The reason of the refusal. */
      problem?: string;
      warnings: string[];
    };
    /** @enum {string} */
    ImportOutcome: "imported" | "refused";
    Job: {
      /** Format: date-time */
      completed_at: string | null;
      /** Format: date-time */
      created_at: string;
      /** @description The reason of the failure, for people. */
      failure: string | null;
      /** @description Begins with `job_`. */
      id: string;
      kind: components["schemas"]["JobKind"];
      progress: components["schemas"]["JobProgress"];
      scope: components["schemas"]["JobScope"];
      status: components["schemas"]["JobStatus"];
    };
    /** @enum {string} */
    JobKind: "replay" | "missing_replay" | "resend" | "erasure";
    JobPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["Job"][];
    };
    JobProgress: {
      /** @description Deliveries sent again; or deliveries and events whose payload was erased, including those that share it. */
      done: number;
      /** @description The number of them that the job has processed so far. */
      examined: number;
      /** @description Deliveries in the range, of a `missing_replay` events and of an erasure of all endpoints both, counted when the job began. It can grow by deliveries that were being accepted at that moment. Null if there were more than 100,000. */
      total: number | null;
    };
    JobScope: {
      /** Format: date-time */
      after: string | null;
      /** Format: date-time */
      before: string;
      endpoint_id: string | null;
      event: string | null;
      status: components["schemas"]["EndedStatus"] | null;
    };
    /** @enum {string} */
    JobStatus: "running" | "completed" | "cancelled" | "failed";
    Key: {
      /** Format: date-time */
      created_at: string;
      /** @description The key that created this one. Revoking or disabling it does the same to this key. Null: the operator created it, with `HERMOD_ADMIN_KEY` or with an administrator's key of another account; their end changes nothing here. */
      created_by: string | null;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Begins with `key_`. */
      id: string;
      is_active: boolean;
      /**
       * Format: date-time
       * @description To the minute; null if the key was never used.
       */
      last_used_at: string | null;
      name: string | null;
      permissions: components["schemas"]["Permission"][];
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
      /** @description Half of the attempts took at most this long; null without attempts. */
      p50: number | null;
      /** @description 90 % of the attempts took at most this long; null without attempts. */
      p90: number | null;
      /** @description 99 % of the attempts took at most this long; null without attempts. */
      p99: number | null;
    };
    ListedDelivery: {
      attempt_count: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
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
      /**
       * Format: date-time
       * @description Present only while pending; null unless it waits for a retry.
       */
      next_attempt_at?: string | null;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
      response_status: number | null;
      /** @description The delivery's number at its endpoint; null if the filter excluded it, or until it is due. */
      sequence: number | null;
      status: components["schemas"]["DeliveryStatus"];
      waiting_for?: components["schemas"]["WaitingFor"];
    };
    Liveness: {
      /** @enum {string} */
      status: "live";
    };
    Me: {
      account: components["schemas"]["Account"];
      /** @description The key of the request or of its session; null for a JWT and for a person. */
      key_id: string | null;
      /** @description The key's name, or the person's. */
      name: string | null;
      permissions: components["schemas"]["Permission"][];
      /** @description Hermod's version. */
      version: string;
    };
    MissedEvent: {
      endpoint_id: string;
      /** @description `event_filter`: the endpoint's `event_filter` excludes the event. `filter`: its `filter` excluded the payload, or could not judge it. `filter_changed`: it excluded the event then, and matches it now. `inactive`: the endpoint was inactive and skips events. `created_later`: the endpoint was created after the event. */
      reason: components["schemas"]["MissedReason"];
    };
    MissedEventPage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["MissedEvent"][];
    };
    /** @enum {string} */
    MissedReason: "event_filter" | "filter" | "filter_changed" | "inactive" | "created_later";
    /** @enum {string} */
    OnExhausted: "skip" | "pause";
    /** @enum {string} */
    Ordering: "ordered" | "by_key" | "unordered";
    Partition: {
      /** @description The id of the process that dispatches for it; null if there is none. */
      owner: string | null;
      partition: number;
    };
    /** @description Milliseconds, right to within a tenth; null if there were none. */
    Percentiles: {
      p50: number;
      p95: number;
      p99: number;
    } | null;
    /** @enum {string} */
    Permission: "endpoints:read" | "endpoints:write" | "webhooks:read" | "webhooks:write" | "webhooks:retry" | "event-types:write" | "stats:read" | "keys:write" | "accounts:act" | "admin";
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
    PortalLink: {
      /**
       * Format: date-time
       * @description When the link can't be opened any more.
       */
      expires_at: string;
      /** @description The session's id, begins with `ses_`. */
      id: string;
      /** @description Open it once, in the customer's browser. The token is in the fragment. */
      url: string;
    };
    PortalOpening: {
      embedded?: boolean | null;
    };
    PortalSession: {
      account_id: string;
      capabilities: components["schemas"]["Capability"][];
      /** @description Send it as `x-hermod-csrf` with each change by the cookie. */
      csrf_token: string | null;
      /** @description Null for all endpoints of the account. */
      endpoint_ids: string[] | null;
      /** @description The bound of the link. Null for all event types. */
      event_types: string[] | null;
      /** Format: date-time */
      expires_at: string;
      id: string;
      locale: string | null;
      origin: string | null;
      product_name: string | null;
      /** @description As it was given. */
      theme: {
        [key: string]: string;
      } | null;
      /** @description Only when an embedded page opens its session: the page keeps it in memory and sends it as a bearer token. */
      token: string | null;
    };
    PortalTheme: ({
      accent?: string | null;
      accent_dark?: string | null;
      background?: string | null;
      font?: string | null;
      mode?: string | null;
      on_accent?: string | null;
      radius?: string | null;
    }) | null;
    Process: {
      /** @description CPU time used since it started. */
      cpu_seconds: number;
      /** @description Its work at that moment, such as attempts under way and outcomes that wait to be recorded. */
      figures: {
        [key: string]: number;
      };
      host: string;
      id: string;
      memory_bytes: number;
      pid: number;
      role: components["schemas"]["ProcessRole"];
      /**
       * Format: date-time
       * @description When it last reported, which it does every 5 s. It disappears a minute after its last report.
       */
      seen_at: string;
      /** Format: date-time */
      started_at: string;
      version: string;
    };
    /** @enum {string} */
    ProcessRole: "all" | "api" | "dispatcher";
    PublishedEvent: {
      /** Format: date-time */
      created_at: string;
      /** @description A delivery for each endpoint whose filter the event matches, oldest endpoint first. */
      deliveries: components["schemas"]["AcceptedDelivery"][];
      event: string | null;
      /** @description Your own id of the event. Present only if you gave one. */
      event_id?: string;
      /** @description The ids of the deliveries that wait because their endpoint is inactive. */
      held: string[];
      /** @description Begins with `evt_`. */
      id: string;
      /** @description Present only if the sender gave one. */
      ordering_key?: string;
      /** @description The ids of the endpoints whose filter the event matches, and that get no delivery because they are inactive and skip events. */
      skipped: string[];
    };
    QueuePage: {
      /** @description Send it as `cursor` to get the next page; null on the last page. */
      cursor: string | null;
      data: components["schemas"]["ListedDelivery"][];
    };
    Readiness: {
      /** @description The servers that can't be reached: `postgres`, `nats`. */
      away?: string[];
      nats: boolean;
      postgres: boolean;
      status: components["schemas"]["ReadinessStatus"];
      /** @description False while Postgres refuses writes, because its disk is full or it is read-only. */
      writes: boolean;
    };
    /** @enum {string} */
    ReadinessStatus: "ready" | "degraded" | "unready";
    /** @description Attempts of the last hour, of the 1000 most recently attempted deliveries. Only the last 10000 ended deliveries and the deliveries that wait for a retry are searched, so there may be fewer. */
    RecentAttempts: {
      attempts: number;
      /** @description From the first of these attempts until now. */
      attempts_per_second: number;
      delivered: number;
      deliveries: number;
      failed: number;
      latency_ms: components["schemas"]["Latencies"];
      /** @description delivered / (delivered + failed) × 100; 0 if nothing was delivered or failed. */
      success_rate: number;
    };
    ReplayedDelivery: {
      attempt_count: number;
      /** @description Present only if cancelled. */
      cancel_reason?: components["schemas"]["CancelReason"];
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description When it is, or was, due. Present only if it was scheduled.
       */
      deliver_after?: string;
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
      /** @description The id of the original delivery, which receivers get as `webhook-id`. */
      replay_of: string;
      status: components["schemas"]["DeliveryStatus"];
    };
    /** @enum {string} */
    RequestedCapability: "view" | "manage_endpoints" | "retry" | "view_payloads" | "test" | "endpoints" | "payloads";
    /** @enum {string} */
    Requirement: "nats" | "writes";
    ResendCount: {
      /** @description Number of their endpoints. */
      endpoints: number;
      /** @description Number of selected deliveries that can't be resent. */
      skipped: number;
      /** @description Number of deliveries that a job would resend. */
      total: number;
    };
    /** @description Selects deliveries like the filters of `GET /webhooks` with cursors, at most 10,000. */
    ResendFilter: {
      /**
       * Format: date-time
       * @description Created at this moment or later (ISO 8601).
       */
      after?: string;
      /**
       * Format: date-time
       * @description Created before this moment (ISO 8601).
       */
      before?: string;
      /** @description Values of top-level fields of the payload, as texts: `{"order_id": "42"}`. */
      data?: {
        [key: string]: string;
      };
      endpoint_id?: string;
      error?: components["schemas"]["AttemptError"];
      event_type?: string;
      response_status?: string;
      status: components["schemas"]["EndedStatus"];
    };
    ResendSelection: {
      /** @description True: counts, and starts no job. Default: false. */
      dry_run?: boolean;
      filter?: components["schemas"]["ResendFilter"];
      /** @description The deliveries to resend. Not together with `filter`. */
      ids?: string[];
    };
    RetriedEndpoint: {
      retried: number;
    };
    RotatedSecret: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type: string;
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** @description The patterns of `event_types`, separated by commas. */
      event_filter: string;
      event_types: string[];
      external_id: string | null;
      feed: boolean;
      /** @description The condition in CEL that events must match beside their type. */
      filter: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format: components["schemas"]["BodyFormat"];
      /** @description The headers of requests to the endpoint, without the secret ones. */
      headers: {
        [key: string]: string;
      };
      health: components["schemas"]["EndpointHealth"];
      /** @description Begins with `ep_`. */
      id: string;
      is_active: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses: number[];
      /**
       * Format: date-time
       * @description When the replaced secret stops signing; null if it has stopped.
       */
      previous_secret_expires_at: string | null;
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms: number[] | null;
      /** @description The names of the secret headers. */
      sensitive_headers: string[];
      /** @description Begins with `whsec_`; shown only this once. */
      signing_secret: string;
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent: boolean;
      url: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive: components["schemas"]["WhileInactive"];
    };
    SchemaCheck: {
      /** @description The payloads that the schema would have refused, newest first. */
      data: components["schemas"]["SchemaRefusal"][];
      /** @description At most 100, fewer if they are large or expensive to validate. */
      examined: number;
      refused: number;
    };
    SchemaRefusal: {
      /** Format: date-time */
      created_at: string;
      /** @description The event, `evt_…`, or the webhook, `wh_…`. */
      id: string;
      /** @description The mismatch of the payload with the schema. */
      problem: string;
    };
    SchemaVersion: {
      /** Format: date-time */
      created_at: string;
      /** @description A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents. */
      schema: {
        [key: string]: unknown;
      } | null;
      /** @description Counts from 1. */
      version: number;
    };
    SchemaVersionList: {
      /** @description The latest 20, the newest first. The schema is null where it was removed. */
      data: components["schemas"]["SchemaVersion"][];
    };
    SecretRotation: {
      /** @description How long the replaced secret also signs, in seconds. 0 ends it, and all older secrets, at once. Default: `86400`. */
      overlap?: number | null;
      /** @description A secret that the receiver already has, for example when you migrate to Hermod: `whsec_` and the base64 (with padding) of 24 to 64 random bytes. By default Hermod creates a new one. */
      signing_secret?: string | null;
    };
    Series: {
      /** Format: date-time */
      from: string;
      /** @description One for each step, at most 1500. */
      points: components["schemas"]["SeriesPoint"][];
      step_seconds: number;
      /** Format: date-time */
      to: string;
    };
    SeriesPoint: {
      /** @description Deliveries that got a sequence. Counted once a minute, by the time of the count. */
      accepted: number;
      /**
       * Format: date-time
       * @description The beginning of the step.
       */
      at: string;
      attempts: components["schemas"]["AttemptCounts"];
      /** @description Pending at the end of the step, without deliveries scheduled for later. */
      backlog: number;
      /** @description Cancelled while they were pending. */
      cancelled: number;
      delivered: number;
      /** @description Delivered by the first attempt. */
      delivered_first: number;
      delivery_ms: components["schemas"]["Percentiles"];
      failed: number;
      receiver_ms: components["schemas"]["Percentiles"];
    };
    Session: {
      /** @description Send it as `x-hermod-csrf` with each change. */
      csrf_token: string;
      /**
       * Format: date-time
       * @description When the session ends at the latest.
       */
      expires_at: string;
      /** @description Begins with `ses_`. */
      id: string;
    };
    Stats: {
      delivered: number;
      endpoints_count: number;
      failed: number;
      pending: number;
      /** @description delivered / (delivered + failed) × 100, with two decimals; 0 if nothing was delivered or failed. */
      success_rate: number;
      /** @description All stored deliveries, including cancelled ones. Ended deliveries are stored for HERMOD_RETENTION (30 days by default). */
      total_deliveries: number;
    };
    StatusCounts: {
      cancelled: number;
      delivered: number;
      failed: number;
      pending: number;
    };
    System: {
      dependencies: components["schemas"]["Dependencies"];
      partitions: components["schemas"]["Partition"][];
      processes: components["schemas"]["Process"][];
      /** @description The version of the process that answers. */
      version: string;
    };
    TestEvent: {
      /** @description The payload to send instead of the sample. Needs the permission `webhooks:write`. */
      data?: unknown;
      /** @description Sends the `example` of this event type instead of the sample. The delivery's event stays `hermod.test`. */
      event?: string | null;
      /** @description Signs with a wrong secret, to see that the receiver refuses it. Default: false. */
      forged?: boolean | null;
      /** @description Groups deliveries, for example by a customer's id. An endpoint with the `ordering` `by_key` gets deliveries with the same key in order. Every receiver gets the key as `webhook-ordering-key`. */
      ordering_key?: string | null;
    };
    UpdateAccount: {
      /** @description Your own id, which must be unique. Paths accept `~` and this id in place of Hermod's id. */
      external_id?: string | null;
      name?: string;
      /** @description The name of a plan. */
      plan?: string;
    };
    UpdateEndpoint: {
      /** @description The body's `content-type`: `application/json` (the default) or `application/…+json`. */
      content_type?: string;
      description?: string | null;
      /** @description The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource has at most 16 parts with dots between them. Either `event_filter` or `event_types`, not both. */
      event_filter?: string;
      /** @description The same filter as a list; here event types may contain commas. Either `event_filter` or `event_types`, not both. */
      event_types?: string[];
      /** @description Your own id, which must be unique. Paths accept `~` and this id in place of Hermod's id. */
      external_id?: string | null;
      /** @description Whether the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter. POST /events skips the endpoint, and POST /webhooks refuses it. At most 10 per account; one more gets a 409. */
      feed?: boolean;
      /** @description A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`. It knows `event` (null without a type), `data` and the endpoint's `metadata`. An event for which it is false, or fails with an error, does not go to the endpoint. Null for no condition. */
      filter?: string | null;
      /** @description The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`. */
      format?: components["schemas"]["BodyFormat"];
      /** @description Headers of every request to the endpoint, from the next attempt on. A new value replaces all headers, including secret ones; `{}` removes them all. At most 20 headers, with 6144 characters together. Names are tokens of at most 128 characters, stored in lower case; values are printable ASCII, at most 4096 characters. You can't set Hermod's own headers (`webhook-*`, `content-type`, `user-agent`), nor headers that frame a message or belong to its connection (`host`, `content-length`, `content-encoding`, `accept-encoding`, `transfer-encoding`, `connection`, `keep-alive`, `te`, `trailer`, `upgrade`, `http2-settings`, `expect`, `proxy`, `proxy-*`). Names are compared like CGI and WSGI compare them: case is ignored, and every character but letters and digits counts as `-`. */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description While false, deliveries to the endpoint stay pending and keep their order. */
      is_active?: boolean;
      /** @description Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it. */
      max_in_flight?: number;
      /** @description Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. A new value replaces the whole object. A portal session sees `{}`. */
      metadata?: {
        [key: string]: string;
      };
      /** @description What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set `is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by `permanent_statuses` or `webhook-delivery: abort-message`, is passed either way. */
      on_exhausted?: components["schemas"]["OnExhausted"];
      /** @description Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that waits for its retry holds back only the deliveries behind it in the same order. */
      ordering?: components["schemas"]["Ordering"];
      /** @description HTTP statuses that fail a delivery at once, instead of a retry. None by default. */
      permanent_statuses?: number[];
      /** @description Most attempts, including retries, that begin within a second. Null: no limit. */
      rate_limit?: number | null;
      /** @description The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits together are at most 604800000 ms; waiting before the first attempt does not count. When a delivery has used up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single attempt. Null: the service's default. */
      retry_schedule_ms?: number[] | null;
      /** @description The names in `headers` whose values are secret: stored encrypted, never shown. If the endpoint has secret headers, a change of `headers` must include this list, since answers don't show the values that it replaces. `[]` if none is secret. */
      sensitive_headers?: string[];
      /** @description Time limit of a whole attempt, in milliseconds. Null: the service's default. */
      timeout_ms?: number | null;
      /** @description True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own. */
      traceparent?: boolean;
      /** @description Where deliveries are sent: an http or https URL. With `format: email` and `feed: true`, `mailto:` and one address that the service permits. */
      url?: string;
      /** @description `hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no delivery for it. What is sent to it by POST /webhooks waits either way. */
      while_inactive?: components["schemas"]["WhileInactive"];
    };
    UpdateKey: {
      is_active: boolean;
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
    /** @description The account has used 80 % or 100 % of the month's webhooks. Sent once for each, and again if a larger plan's limit is reached. */
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
    /** @description The calendar month in UTC. */
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
    /** @description Why the delivery is not sent yet; present only while it is pending. */
    WaitingFor: {
      in_front?: components["schemas"]["DeliveryInFront"];
      /** @description Present with `max_in_flight`. */
      max_in_flight?: number;
      /** @description The ordering key of both deliveries; null if they have none. Present with `turn`, only if the endpoint is `by_key`. */
      ordering_key?: string | null;
      /** @description Present with `rate_limit`. */
      rate_limit?: number;
      /** @description `scheduled`: it was sent with `deliver_after`, and is due at `until`. `pause`: the endpoint is inactive, so nothing is sent to it. `turn`: another delivery is in front of it in its order. `retry`: an attempt failed; the next one begins at `until`. `rest`: the receiver answered 429, or 503 with `Retry-After`: the endpoint is sent nothing until `until`, and then one delivery at a time until one succeeds. `max_in_flight`: the endpoint is not ordered, and `max_in_flight` deliveries before it are in flight or next. `rate_limit`: as many attempts as the endpoint's rate limit allows began in the last second. `attempt`: it does not wait: its attempt is under way or about to begin. */
      reason: components["schemas"]["WaitingReason"];
      /**
       * Format: date-time
       * @description Present with `scheduled`, `retry` and `rest`.
       */
      until?: string;
    };
    /** @enum {string} */
    WaitingReason: "scheduled" | "pause" | "turn" | "retry" | "rest" | "max_in_flight" | "rate_limit" | "attempt";
    WebhookResult: {
      error?: components["schemas"]["ErrorDetail"];
      /** @description The HTTP status that the item would have got in a request of its own. */
      status: number;
      webhook?: components["schemas"]["AcceptedDelivery"];
    };
    WebhookResults: {
      /** @description In the order of the items. */
      results: components["schemas"]["WebhookResult"][];
    };
    WebhookSummary: {
      /** @description The number of deliveries by their last HTTP status; `0` for no HTTP response. Without deliveries that were never attempted. */
      answers: {
        [key: string]: number;
      };
      /** @description False if the second was over too early: older deliveries are not counted. */
      complete: boolean;
      /**
       * Format: date-time
       * @description When the newest counted delivery was accepted.
       */
      newest_at: string | null;
      /**
       * Format: date-time
       * @description When the oldest counted delivery was accepted.
       */
      oldest_at: string | null;
      statuses: components["schemas"]["StatusCounts"];
      total: number;
    };
    /** @enum {string} */
    WhileInactive: "hold" | "skip";
  };
  responses: {
    /** @description The request is invalid. The message names the field and says what would be valid. */
    BadRequest: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The Idempotency-Key was used for a different request, or the request conflicts with the current state. The message says which. */
    Conflict: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The key lacks a permission that the request needs. Or the request would create, enable, disable or revoke a key with more permissions than its own. Or the account has reached its plan's webhooks per month, or its number of schemas. */
    Forbidden: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The service failed unexpectedly. Its log has the details, with the same X-Request-Id. */
    InternalError: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The path does not support this method. The header `Allow` lists the methods that it supports. */
    MethodNotAllowed: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description There is nothing with this id or name, or it belongs to another account. */
    NotFound: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The request body is larger than 1 MiB. */
    PayloadTooLarge: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The account sent too many requests, or one address failed to authenticate too often. */
    TooManyRequests: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The key or token is missing, unknown, inactive, revoked or expired. */
    Unauthorized: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The service can't reach its database, or too many sends are waiting to be accepted. Try again. */
    Unavailable: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
    /** @description The request body is compressed; send it uncompressed. */
    UnsupportedMediaType: {
      headers: {
        "Accept-Encoding": components["headers"]["Accept-Encoding"];
        Allow: components["headers"]["Allow"];
        "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
        "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
        "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
        "Retry-After": components["headers"]["Retry-After"];
        "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
        "X-Request-Id": components["headers"]["X-Request-Id"];
      };
      content: {
        "application/json": components["schemas"]["ErrorAnswer"];
      };
    };
  };
  parameters: {
    /** @description Makes the request on behalf of another account: its id, or its `external_id`, percent-encoded, such as `shop-42`. A `~` at the start is ignored if no account has the `external_id` as written. Needs the permission `accounts:act` beside the operation's own. The request counts against that account's limits. */
    HermodAccount?: string;
    /** @description Makes the request safe to repeat. For 24 hours, the same request with the same key gets the first successful answer again. A different request with the same key gets a 409. An answer with a secret is repeated only to the API key that got it. For example `order-4711-created`. */
    IdempotencyKey?: string;
    /** @description The `id` of the last event that was received. Takes precedence over `iterator`. */
    LastEventId?: string;
  };
  requestBodies: never;
  headers: {
    /** @description `identity`: request bodies must be uncompressed; with 415. */
    "Accept-Encoding": "identity";
    /** @description The methods that this path supports; with 405. */
    Allow: string;
    /** @description `true` if this repeats the answer to an earlier request with the same key; otherwise absent. */
    "Idempotency-Replayed": "true";
    /** @description Requests that the plan allows in a minute; absent if it sets no limit, and with 401. */
    "RateLimit-Limit": number;
    /** @description Requests that are left. */
    "RateLimit-Remaining": number;
    /** @description Seconds until all requests are available again. */
    "RateLimit-Reset": number;
    /** @description Seconds to wait before the next try; with 429 and 503. */
    "Retry-After": number;
    /** @description How to authenticate; with 401. */
    "WWW-Authenticate": string;
    /** @description Finds the request in the service's log. It is the request's own `X-Request-Id` if that has 1 to 128 visible ASCII characters; otherwise the service makes one. */
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
      /** @description The process is alive. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
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
        /** @description Answers 503 also if NATS can't be reached (`nats`), or while Postgres refuses writes (`writes`). */
        require?: components["schemas"]["Requirement"];
      };
    };
    responses: {
      /** @description Postgres answers. `degraded`: NATS can't be reached, and deliveries continue from Postgres; or Postgres refuses writes, and requests that only read still work. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
      400: components["responses"]["BadRequest"];
      /** @description Postgres can't be reached, or NATS with `require=nats`, or Postgres refuses writes with `require=writes`. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
    };
  };
  /**
   * List the changes in the account
   * @description Newest first: each change with its time, and the key or person. Has every request that changed something, except sends, with the changed fields and without secrets, for `HERMOD_AUDIT_RETENTION`.
   *
   * Needs the permission `endpoints:read`.
   */
  listActivity: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only changes by this key, also by its sessions. */
        key_id?: string;
        /** @description Only changes by this person. */
        person?: string;
        /** @description Only this operation, such as `updateEndpoint`; one that the audit log never has is a 400. */
        operation?: string;
        /** @description Only changes at or after this time. */
        after?: string;
        /** @description Only changes before this time. */
        before?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["AuditPage"];
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
   * List accounts
   * @description Needs the permission `accounts:act`.
   */
  listAccounts: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page, newest first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Without `plan`, the account gets the plan that the service is configured with, `HERMOD_DEFAULT_PLAN` (`unlimited` by default).
   *
   * Needs the permission `admin`.
   */
  createAccount: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Needs the permission `accounts:act`.
   */
  getAccount: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The account's id. `~` and its `external_id` work as well.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    responses: {
      /** @description The account. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Put `~` and the `external_id` in the path. If no account has it, this creates the account, and `name` is required. Otherwise this changes the account like PATCH.
   *
   * Needs the permission `admin`.
   */
  putAccount: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The account's id. `~` and its `external_id` work as well.
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
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
      /** @description The account, created. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The account's id. `~` and its `external_id` work as well.
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
        "application/json": components["schemas"]["UpdateAccount"];
      };
    };
    responses: {
      /** @description The account. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The account's id. `~` and its `external_id` work as well.
         * @example acc_01k9x3s0k2c4bt6m8n1p3r5s7x
         */
        id: string;
      };
    };
    responses: {
      /** @description All keys, newest first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description The new key may have any permission. It expires no later than the requesting key, and is disabled and revoked with it. Keys that `HERMOD_ADMIN_KEY` created stay valid when it is replaced. The key's text is returned only in this answer.
   *
   * Needs the permission `admin`.
   */
  createAccountKey: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The account's id. `~` and its `external_id` work as well.
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
        "application/json": components["schemas"]["CreateKey"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * List the changes in all accounts
   * @description Newest first: each change with its time, and the key or person. Has every request that changed something, except sends, with the changed fields and without secrets, for `HERMOD_AUDIT_RETENTION`.
   *
   * Needs the permission `admin`.
   */
  listAudit: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only changes about the account with this id. Not together with `account`. */
        account_id?: string;
        /** @description Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`. */
        account?: string;
        /** @description Only changes by this key, also by its sessions. */
        key_id?: string;
        /** @description Only changes by this person. */
        person?: string;
        /** @description Only this operation, such as `updateEndpoint`; one that the audit log never has is a 400. */
        operation?: string;
        /** @description Only changes at or after this time. */
        after?: string;
        /** @description Only changes before this time. */
        before?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["AuditPage"];
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
   * List deliveries of all accounts
   * @description Newest first, with the filters of an account's list with cursors. A request searches for a quarter of a second, so that a page may have fewer items than you asked for, even none, and still a `cursor`. With `account` or `endpoint_id`, it is as fast as the account's own list.
   *
   * Needs the permissions `accounts:act` and `webhooks:read`.
   */
  listAllDeliveries: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`. */
        account?: string;
        /** @description Only deliveries in this status. */
        status?: components["schemas"]["DeliveryStatus"];
        /** @description Only deliveries of this event type. */
        event_type?: string;
        /** @description Only deliveries to this endpoint. */
        endpoint_id?: string;
        /** @description Only deliveries created at or after this time. */
        after?: string;
        /** @description Only deliveries created before this time. */
        before?: string;
        /** @description Only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response. */
        response_status?: string;
        /** @description Only deliveries with an attempt that failed with this error. */
        error?: components["schemas"]["AttemptError"];
        /** @description Only deliveries with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["AccountDeliveryPage"];
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
   * List endpoints of all accounts
   * @description Newest first, with the filters of an account's list.
   *
   * Needs the permissions `accounts:act` and `endpoints:read`.
   */
  listAllEndpoints: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`. */
        account?: string;
        /** @description Only endpoints in this state. */
        health?: components["schemas"]["HealthState"];
        /** @description Only the endpoint with this external id. */
        external_id?: string;
        /** @description Only endpoints with this text in the description, URL, external id or metadata. Case is ignored. */
        q?: string;
        /** @description Only endpoints with this value in the metadata, such as `metadata.team=payments`; at most 5 of them. The names begin with `metadata.`. */
        metadata?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["AccountEndpointPage"];
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
   * List events of all accounts
   * @description Newest first, with the filters of an account's list. A request searches for a quarter of a second, so that a page may have fewer items than you asked for, even none, and still a `cursor`. With `account`, it is as fast as the account's own list.
   *
   * Needs the permissions `accounts:act` and `webhooks:read`.
   */
  listAllEvents: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`. */
        account?: string;
        /** @description Only events of this type. */
        event_type?: string;
        /** @description Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. For 24 hours, another request with this `event_id` gets the answer of the first, or a 409 if its event is different; an `Idempotency-Key` is then ignored. Receivers get `<event_id>:<endpoint id>` as `webhook-id`. */
        event_id?: string;
        /** @description Only events created at or after this time. */
        after?: string;
        /** @description Only events created before this time. */
        before?: string;
        /** @description Only events with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["AccountEventPage"];
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
   * Revoke a key of any account
   * @description Also revokes the keys that it created, and the keys that these keys created in turn. Keys that it created for other accounts stay, unless they have the permission `admin` or `accounts:act`.
   *
   * Needs the permission `admin`.
   */
  deleteAnyKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description All plans, by name. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description A new webhook limit applies at once, a new request limit within five seconds.
   *
   * Needs the permission `admin`.
   */
  putPlan: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Get figures over time of all accounts
   * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
   *
   * Needs the permission `admin`.
   */
  getAllStatsSeries: {
    parameters: {
      query?: {
        /** @description The beginning; a day before `to` by default. It is lowered to a multiple of the step. */
        from?: string;
        /** @description The end; now by default. It is raised to a multiple of the step. */
        to?: string;
        /**
         * @description The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`. By default a length that makes at most 200 points. Before the last 48 hours there are no steps within an hour.
         * @example 1h
         */
        step?: string;
        /** @description Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`. */
        account?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The figures of each step, oldest first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Series"];
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
   * Show the processes and partitions of the installation
   * @description Needs the permission `admin`.
   */
  getSystem: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The processes that reported in the last minute, and the owner of each partition. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["System"];
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
   * List endpoints with pending deliveries
   * @description Newest endpoint first, each with the first delivery of its order and the reason why that delivery waits. Reads only pending deliveries, so it is fast however long the history is. A page may have fewer endpoints than its limit, even none, although more follow, since it ends after 5,000 endpoints. The last page has a null `cursor`.
   *
   * Needs the permission `webhooks:read`.
   */
  getBacklog: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["BacklogPage"];
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
   * Get the current month's usage
   * @description Needs the permission `stats:read`.
   */
  getUsage: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The current month. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Export the catalogue as AsyncAPI
   * @description The same event types, as the messages of an AsyncAPI 3 document.
   *
   * Needs the permission `webhooks:read`.
   */
  exportAsyncApi: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The document. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["CatalogueDocument"];
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
   * Import event types from a document
   * @description Reads the `webhooks` of an OpenAPI 3.1 document, or the messages of an AsyncAPI 3 document, and describes an event type by each: description, group (the first tag), example, deprecated, and schema, including the targets of its references. Fields that the document does not have stay unchanged, and so do other event types. An event type that can't be read is refused by itself; a document without `webhooks`, or without channels and messages, is a 400. At most 500 event types, and 1,048,576 bytes of schemas and examples together, with the targets of references: event types beyond that are refused, and fit in another document.
   *
   * Needs the permission `event-types:write`.
   */
  importCatalogue: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "document": {
         *     "openapi": "3.1.0",
         *     "info": {
         *       "title": "Event types",
         *       "version": "1"
         *     },
         *     "webhooks": {
         *       "order.created": {
         *         "post": {
         *           "description": "A customer has placed an order.",
         *           "tags": [
         *             "Orders"
         *           ],
         *           "requestBody": {
         *             "required": true,
         *             "content": {
         *               "application/json": {
         *                 "schema": {
         *                   "required": [
         *                     "order_id"
         *                   ]
         *                 },
         *                 "example": {
         *                   "order_id": 4711
         *                 }
         *               }
         *             }
         *           },
         *           "responses": {
         *             "2XX": {
         *               "description": "The webhook is delivered."
         *             }
         *           }
         *         }
         *       }
         *     }
         *   }
         * }
         */
        "application/json": components["schemas"]["CatalogueImport"];
      };
    };
    responses: {
      /** @description The result for each event type. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["CatalogueImportResult"];
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
   * Export the catalogue as OpenAPI
   * @description The event types with a description, group, example or schema, as the `webhooks` of an OpenAPI 3.1 document.
   *
   * Needs the permission `webhooks:read`.
   */
  exportOpenApi: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The document. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["CatalogueDocument"];
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
   * @description Newest first. With several filters, an endpoint must match all. Without `limit` and `cursor`, the service answers with a JSON array of all endpoints that match instead of a page. This description has the page alone, so that generated clients have one type.
   *
   * Needs the permission `endpoints:read`.
   */
  listEndpoints: {
    parameters: {
      query: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only endpoints in this state. */
        health?: components["schemas"]["HealthState"];
        /** @description Only the endpoint with this external id. */
        external_id?: string;
        /** @description Only endpoints with this text in the description, URL, external id or metadata. Case is ignored. */
        q?: string;
        /** @description Only endpoints with this value in the metadata, such as `metadata.team=payments`; at most 5 of them. The names begin with `metadata.`. */
        metadata?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["EndpointPage"];
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
   * @description The signing secret is returned only in this answer. Hermod creates one unless you give `signing_secret`.
   *
   * Needs the permission `endpoints:write`.
   */
  createEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateEndpoint"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The endpoint. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Put `~` and the `external_id` in the path. If no endpoint of the account has it, this registers the endpoint: `url` is required, and the answer, 201, has the signing secret. Otherwise this changes the endpoint like PATCH. With an `Idempotency-Key`, the same request gets the 201 with the secret again.
   *
   * Needs the permission `endpoints:write`.
   */
  putEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
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
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
      /** @description The endpoint, created. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Also cancels its pending deliveries.
   *
   * Needs the permission `endpoints:write`.
   */
  deleteEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Fields that are left out stay as they are. If the endpoint has secret headers, a `url` with another origin (scheme, host or port) needs `headers` in the same request, otherwise it is a 400. So secrets never go to a host that they were not meant for.
   *
   * Needs the permission `endpoints:write`.
   */
  updateEndpoint: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
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
        "application/json": components["schemas"]["UpdateEndpoint"];
      };
    };
    responses: {
      /** @description The endpoint. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Try a filter on kept events
   * @description Lists the account's newest kept events, and the webhooks sent only to this endpoint, each with the result of the endpoint's `event_types` and this `filter`, or of its own filter if you give none. Changes nothing. Reads at most 100, fewer if they are large or the filter takes many steps.
   *
   * Needs the permission `webhooks:read`.
   */
  testEndpointFilter: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *   "filter": "data.total > 100"
         * }
         */
        "application/json": components["schemas"]["FilterTest"];
      };
    };
    responses: {
      /** @description The events and webhooks that were read. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["FilterTestResult"];
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
   * List an endpoint's pending deliveries, in order
   * @description Needs the permission `webhooks:read`.
   */
  getEndpointQueue: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only deliveries with this ordering key. */
        ordering_key?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description A page, first in order first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["QueuePage"];
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
   * Replay an endpoint's deliveries
   * @description Starts a job that resends the deliveries of a time range in their order, each like `POST /webhooks/{id}/resend`. It skips deliveries that are replays themselves, are pending or erased, or no longer match the endpoint's filter. It decides about each delivery once, when it gets to it.
   *
   * With `missing`, it sends the events that the endpoint never got instead: because it was created later, was inactive and skips events, or had a filter that excluded them. They come in the order in which they were accepted, each once, behind the endpoint's earlier deliveries. Each is a delivery with the `created_at` of its event.
   *
   * The job pauses while 100 deliveries are pending for the endpoint, so that new deliveries never queue behind more. It checks again after 0.1 seconds, then less often, up to every ten seconds. The job fails when the month's webhooks are used up or the endpoint is deleted. An account can run 100 jobs at a time; one more gets a 409.
   *
   * Needs the permission `webhooks:retry`.
   */
  replayEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
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
        "application/json": components["schemas"]["CreateReplay"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Attempt deliveries that wait for a retry now
   * @description Ends the waits of the endpoint's deliveries. They keep their order. Activating an endpoint, and changing its URL, headers, secret or schedule, also ends them. Affects at most 10,000 deliveries, in the order in which they are due.
   *
   * Needs the permission `webhooks:retry`.
   */
  retryEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The number of deliveries that waited. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["RetriedEndpoint"];
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
   * Rotate an endpoint's signing secret
   * @description The new secret is returned only in this answer. During the overlap, `webhook-signature` has a signature by the new secret, then one by each replaced secret (at most the last two). After the overlap, only the new secret signs. A later rotation may end an older overlap early: no overlap lasts longer than the newest one.
   *
   * Needs the permission `endpoints:write`.
   */
  rotateSecret: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Counts at this moment. Fast even for an endpoint with a long history or backlog.
   *
   * Needs the permission `stats:read`.
   */
  getEndpointStats: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The figures. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Get an endpoint's figures over time
   * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
   *
   * Needs the permission `stats:read`.
   */
  getEndpointStatsSeries: {
    parameters: {
      query?: {
        /** @description The beginning; a day before `to` by default. It is lowered to a multiple of the step. */
        from?: string;
        /** @description The end; now by default. It is raised to a multiple of the step. */
        to?: string;
        /**
         * @description The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`. By default a length that makes at most 200 points. Before the last 48 hours there are no steps within an hour.
         * @example 1h
         */
        step?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
         * @example ep_01k9x3v5q8e7bt2m4n6p8r0s2t
         */
        id: string;
      };
    };
    responses: {
      /** @description The figures of each step, oldest first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Series"];
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
   * @description Sends an event of the type `hermod.test` like any webhook: signed, in the endpoint's order, with retries, and counted
   * against the month's limit. Receivers recognise it by the header `webhook-event: hermod.test`. The endpoint's filter does
   * not apply to it. While the endpoint is inactive, the test event waits like any delivery.
   *
   * With `forged`, the signature is wrong on purpose, and the event is `hermod.test.forged`. It is attempted once. A receiver that
   * verifies answers 4xx: the delivery is then `cancelled`, with the reason `forgery_refused`. After a 2xx it is `failed`, and
   * the attempt has the error `forgery_accepted`. Neither counts against the endpoint's health.
   *
   * Needs the permission `webhooks:retry`.
   */
  testEndpoint: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The endpoint's id. `~` and its `external_id` work as well.
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Starts a job that erases payloads like `DELETE /webhooks/{id}/payload`. Select the deliveries by event type, endpoint or time; at least one is required. An account can run 100 jobs at a time; one more gets a 409.
   *
   * Needs the permission `webhooks:write`.
   */
  erasePayloads: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateErasure"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description The event types that the account has sent or given a schema, newest first.
   *
   * Needs the permission `webhooks:read`.
   */
  listEventTypes: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Describe an event type
   * @description Sets the event type's description, for people and for tests. Absent fields stay unchanged; null removes a field. The event type need not exist yet. At most 1,000 described event types per account; one more gets a 403.
   *
   * Needs the permission `event-types:write`.
   */
  putEventType: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
         *   "description": "A customer has placed an order.",
         *   "group": "Orders",
         *   "example": {
         *     "order_id": 4711,
         *     "total": "99.90"
         *   }
         * }
         */
        "application/json": components["schemas"]["EventTypeDescription"];
      };
    };
    responses: {
      /** @description The event type. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Set an event type's schema
   * @description Webhooks of this type are then refused with 400 unless their `data` matches the schema. All processes of the service apply it within two seconds. The event type need not exist yet.
   *
   * Patterns support neither look-around nor back-references. A schema that is too expensive to validate with is refused with 400. The limits: 65,536 bytes; 16 levels of nested schemas; 3,000 values, with `$ref` expanded (1,000 for each item or property); 10,000 instructions for all patterns together; 4 MiB when compiled.
   *
   * Needs the permission `event-types:write`.
   */
  putEventTypeSchema: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateSchema"];
      };
    };
    responses: {
      /** @description The event type. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["EventTypeWithSchema"];
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
   * @description All processes of the service stop applying it within two seconds.
   *
   * Needs the permission `event-types:write`.
   */
  deleteEventTypeSchema: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Try a schema on kept payloads
   * @description Lists the newest payloads of this type, of the last day, that the schema would have refused. Changes nothing. Setting a schema checks the same payloads and warns of refusals. Reads at most 100.
   *
   * Needs the permission `webhooks:read`.
   */
  checkEventTypeSchema: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateSchema"];
      };
    };
    responses: {
      /** @description The number of payloads that were read, and the refused ones. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["SchemaCheck"];
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
   * List the versions of an event type's schema
   * @description Needs the permission `webhooks:read`.
   */
  listSchemaVersions: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
      /** @description The versions. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["SchemaVersionList"];
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
   * List events
   * @description Newest first: every event that was accepted, whether an endpoint wanted it or not. `data.<field>` works as in `GET /webhooks`: up to 5 fields, a quarter of a second a request, so that a page may have fewer items than you asked for and still a `cursor`.
   *
   * Needs the permission `webhooks:read`.
   */
  listEvents: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
        /** @description Only events of this type. */
        event_type?: string;
        /** @description Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. For 24 hours, another request with this `event_id` gets the answer of the first, or a 409 if its event is different; an `Idempotency-Key` is then ignored. Receivers get `<event_id>:<endpoint id>` as `webhook-id`. */
        event_id?: string;
        /** @description Only events created at or after this time. */
        after?: string;
        /** @description Only events created before this time. */
        before?: string;
        /** @description Only events with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["EventPage"];
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
   * Send an event to every endpoint that wants it
   * @description Creates one delivery for every endpoint of the account whose filter the event matches, except endpoints with `feed`. Creates all deliveries or none. Each gets its place in its endpoint's order and counts against the month's limit. An event that no endpoint wants creates no delivery and is not an error: it is kept like any other. At most 10,000 endpoints. The payload is stored once for all of them.
   *
   * Needs the permission `webhooks:write`.
   */
  publishEvent: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateEvent"];
      };
    };
    responses: {
      /** @description The event and its deliveries. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Get an event
   * @description Shows its deliveries, and the account's endpoints without one and why: the first 100 of each, with a cursor if there are more.
   *
   * Needs the permission `webhooks:read`.
   */
  getEvent: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The event's id.
         * @example evt_01k9x3w7r2e5bt8m1n4p6r8000
         */
        id: string;
      };
    };
    responses: {
      /** @description The event. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["EventDetail"];
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
   * List an event's deliveries
   * @description The oldest endpoint's delivery first, then the deliveries that a replay of missing events added.
   *
   * Needs the permission `webhooks:read`.
   */
  listEventDeliveries: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The event's id.
         * @example evt_01k9x3w7r2e5bt8m1n4p6r8000
         */
        id: string;
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["EventDeliveries"];
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
   * List the endpoints that did not get an event
   * @description The oldest endpoint first, each with the reason. `POST /endpoints/{id}/replay` with `missing` brings an endpoint the events that it wants and did not get.
   *
   * Needs the permission `webhooks:read`.
   */
  listMissedEndpoints: {
    parameters: {
      query?: {
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The event's id.
         * @example evt_01k9x3w7r2e5bt8m1n4p6r8000
         */
        id: string;
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["MissedEventPage"];
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
   * Erase an event's payload
   * @description Removes the payload for good from the event, from all its deliveries and from their resends. Cancels pending deliveries with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.
   *
   * Needs the permission `webhooks:write`.
   */
  eraseEventPayload: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
      path: {
        /**
         * @description The event's id.
         * @example evt_01k9x3w7r2e5bt8m1n4p6r8000
         */
        id: string;
      };
    };
    responses: {
      /** @description The payload is erased. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Send many events to every endpoint that wants them
   * @description Works as if you sent the events one after another. Each event is accepted with all its deliveries, or refused with none. One request makes at most 10,000 deliveries. The first event that exceeds this gets a 400, and so do all events after it. Send them in another request, or repeat this one with the same `Idempotency-Key`. All items of a batch share one budget of time for validating payloads against schemas. An item that exceeds it gets a 400; send it in another batch. A thousand ordinary items use less than a tenth of the budget.
   *
   * Needs the permission `webhooks:write`.
   */
  publishEvents: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateEvents"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description The `cursor` of the previous answer. */
        cursor?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description The job stops, and deliveries that it has already resent or erased stay so. 409 if it is not running. Cancelling an erasure also needs `webhooks:write`.
   *
   * Needs the permission `webhooks:retry`.
   */
  cancelJob: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Follow jobs
   * @description Begins with the running jobs and the latest 20, then sends each as it changes. The answer is a stream of server-sent events that stays open, with a comment at least every 15 seconds. It ends within five seconds of the credential that it was opened with. At most 20 streams per account and 256 in all in a process; one more gets a 429. A portal session has at most 3, and the portal sessions of an account 20 beside the account's own. A reader that is too slow gets its events later; nothing is left out.
   *
   * Needs the permission `webhooks:read`.
   */
  tailJobs: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description Events `job`, each with a job. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "text/event-stream": string;
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
   * List the account's keys
   * @description Newest first, without the keys' texts.
   *
   * Needs the permission `keys:write`.
   */
  listKeys: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description All keys. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description The new key can have no permission that the requesting key lacks. It expires no later: a later `expires_at` is moved to the requesting key's. It is disabled and revoked with the requesting key (`created_by`). A JWT can't create keys. The key's text is returned only in this answer; a repeat with the same Idempotency-Key returns it again, to the requesting key alone. At most 1000 keys per account; one more gets a 409.
   *
   * Needs the permission `keys:write`.
   */
  createKey: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateKey"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Takes effect everywhere within five seconds. Also revokes the keys that it created, and the keys that these created. 403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.
   *
   * Needs the permission `keys:write`.
   */
  deleteKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Takes effect everywhere within five seconds. Disabling a key also disables the keys that it created, and the keys that these created. Enabling affects this key alone. A key or JWT that expires can't enable a key that expires later. 403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.
   *
   * Needs the permission `keys:write`.
   */
  updateKey: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["UpdateKey"];
      };
    };
    responses: {
      /** @description The key. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Show the account and the key of the request
   * @description If the request acts for another account, the account is the one in `Hermod-Account`.
   *
   * Needs no permission.
   */
  getMe: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The account, and the permissions of the request. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Me"];
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
   * Get the portal session of this request
   * @description Needs no permission.
   */
  getPortalSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The session. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["PortalSession"];
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
   * Make a link to the customer portal
   * @description The link can be opened once, within 60 seconds. It then is a session with these `capabilities` and no others. No session can send webhooks. The key needs the permissions that the capabilities need, and the session ends within five seconds of the key. A session's requests have their own limit, 600 a minute for all sessions of an account, so they never count against sends. A JWT can't make links.
   *
   * Needs the permission `endpoints:write`.
   */
  createPortalSession: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "account": "shop-42",
         *   "capabilities": [
         *     "view",
         *     "retry"
         *   ],
         *   "ttl": 1800
         * }
         */
        "application/json": components["schemas"]["CreatePortalSession"];
      };
    };
    responses: {
      /** @description The link. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["PortalLink"];
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
   * End the portal session of this request
   * @description Needs no permission.
   */
  deletePortalSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Open a portal session
   * @description For the portal's own page. Send the token of the link as `Authorization: Bearer`; the link then stops working. An embedded page gets a token to keep in memory; otherwise the session is a cookie, which needs the header `x-hermod-portal: 1`.
   *
   * Needs no permission.
   */
  openPortalSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *   "embedded": false
         * }
         */
        "application/json": components["schemas"]["PortalOpening"];
      };
    };
    responses: {
      /** @description The session. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["PortalSession"];
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
   * Get the session of this request
   * @description Needs no permission.
   */
  getSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The session. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Session"];
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
   * Begin a session in a browser
   * @description For pages of this origin. Send the API key as `Authorization: Bearer`; the answer sets a cookie that works like the key, and that no script can read. The session ends after 12 hours, after 30 minutes without a request, and within five seconds of its key. Changes by the cookie need the header `x-hermod-csrf`, and `Sec-Fetch-Site: same-origin`, which browsers send over https and on localhost. A request with `Authorization` ignores the cookie. At most 50 sessions per key: one more ends the oldest. After 30 failed attempts a minute, an address gets a 429.
   *
   * Needs no permission.
   */
  createSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The session. */
      201: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Session"];
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
   * End the session of this request
   * @description Takes effect everywhere within five seconds, and removes the cookie.
   *
   * Needs no permission.
   */
  deleteSession: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The resource is deleted, or the key revoked. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Get the account's statistics
   * @description Needs the permission `stats:read`.
   */
  getStats: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The exact figures at this moment. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Get the account's figures over time
   * @description Exact, however long the history is, and including the present minute. Kept for HERMOD_RETENTION. `delivery_ms` is the time from acceptance to delivery, `receiver_ms` the duration of attempts with an answer.
   *
   * Needs the permission `stats:read`.
   */
  getStatsSeries: {
    parameters: {
      query?: {
        /** @description The beginning; a day before `to` by default. It is lowered to a multiple of the step. */
        from?: string;
        /** @description The end; now by default. It is raised to a multiple of the step. */
        to?: string;
        /**
         * @description The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`. By default a length that makes at most 200 points. Before the last 48 hours there are no steps within an hour.
         * @example 1h
         */
        step?: string;
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The figures of each step, oldest first. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["Series"];
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
   * @description Newest first. The list has two forms with different parameters, which can't be mixed.
   *
   * **Pages**: use `page`, `per_page` or `event`, or no parameter at all. `total` is exact.
   * Pages by both `status` and `event` wait for each other: one runs per account, two in all.
   *
   * **Cursors**: use any of `limit`, `cursor`, `iterator`, `event_type`, `endpoint_id`, `after`, `before`,
   * `response_status`, `error`, `data.…`. To follow the list, use an `iterator`: it reads oldest first and never skips a
   * delivery. Begin with `start` or `now`, then send the `iterator` of the last answer, for as long as you like. `cursor`
   * is null when you have caught up.
   *
   * **Search**: `response_status`, `error` and `data.<field>` work with cursors only, since their results are not counted.
   * A request searches for a quarter of a second if it uses one of them, several other filters together, or an iterator with a
   * filter. So a page may have fewer items than you asked for, even none, and still a `cursor` to continue from. Any other filter
   * makes a search faster. Searches by `data.<field>` wait for each other, for up to a second: one runs per account, two in all.
   * So do other searches that take longer than a moment.
   *
   * `data.<field>=<value>` finds payloads with this field at their top level. Its value must be a string with this text, or a
   * number or boolean written exactly like this: `data.order_id=42` finds `{"order_id":42}` and `{"order_id":"42"}`, not
   * `{"order_id":42.0}`. The field's name extends to the equals sign: `data.a.b` is the field `a.b`. You can give
   * 5 fields at most, and all must match. Payloads with an escaped NUL (`\u0000`) or half of a
   * surrogate pair are not found.
   *
   * Needs the permission `webhooks:read`.
   */
  listWebhooks: {
    parameters: {
      query?: {
        /** @description Pages: the page's number, from 1. */
        page?: number;
        /** @description Pages: Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        per_page?: number;
        /** @description Pages: only deliveries of this event type. */
        event?: string;
        /** @description Both forms: only deliveries in this status. */
        status?: components["schemas"]["DeliveryStatus"];
        /** @description Cursors: Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
        limit?: number;
        /** @description Cursors: the `cursor` of the previous answer. */
        cursor?: string;
        /** @description Cursors: `start`, `now`, or the `iterator` of the previous answer. */
        iterator?: string;
        /** @description Cursors: only deliveries of this event type. */
        event_type?: string;
        /** @description Cursors: only deliveries to this endpoint. */
        endpoint_id?: string;
        /** @description Cursors: only deliveries created at or after this time. */
        after?: string;
        /** @description Cursors: only deliveries created before this time. */
        before?: string;
        /** @description Cursors: only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response. */
        response_status?: string;
        /** @description Cursors: only deliveries with an attempt that failed with this error. */
        error?: components["schemas"]["AttemptError"];
        /** @description Cursors: only deliveries with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description A page. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["DeliveryListing"];
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
   * @description Answers when the delivery is safely stored. By default, Hermod attempts an endpoint's deliveries in the order in which it accepted them. If the endpoint's filter excludes the event, the delivery is recorded as `cancelled` with the reason `event_filter`.
   *
   * Needs the permission `webhooks:write`.
   */
  sendWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateWebhook"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
      /** @description The delivery, its payload and every attempt. While it is pending, also the reason why it waits. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Hermod stops attempting the delivery, and continues with the deliveries behind it at once. An attempt that is under way can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.
   *
   * Needs the permission `webhooks:retry`.
   */
  cancelWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Removes the payload for good: also from every delivery that resends this one, and if it was sent as an event, from the event and all its deliveries to any endpoint. Attempts and counts stay. Pending deliveries among them are cancelled with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.
   *
   * Needs the permission `webhooks:write`.
   */
  erasePayload: {
    parameters: {
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * @description Creates a new delivery at the end of the endpoint's order, by the same rules as a send. It has its own id and history, and `replay_of` names the original. Receivers get the original's id as `webhook-id`, so that they can recognise a duplicate. 409 if the delivery is pending, its payload is erased or its endpoint is deleted.
   *
   * Needs the permission `webhooks:retry`.
   */
  resendWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Attempt a waiting delivery now
   * @description Ends its wait for a retry; its schedule continues as if the wait were over. 409 if the delivery has ended, if its endpoint is inactive, or if another delivery is in front of it in its order, which the message names.
   *
   * Needs the permission `webhooks:retry`.
   */
  retryWebhook: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Send many webhooks
   * @description Works as if you sent the webhooks one after another, so an endpoint gets them in the order of the items. Each item is accepted or refused by itself. A repeat with the same Idempotency-Key sends the missing items and returns the already accepted ones. All items of a batch share one budget of time for validating payloads against schemas. An item that exceeds it gets a 400; send it in another batch. A thousand ordinary items use less than a tenth of the budget.
   *
   * Needs the permission `webhooks:write`.
   */
  sendWebhooks: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
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
        "application/json": components["schemas"]["CreateWebhooks"];
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
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
  /**
   * Resend many deliveries
   * @description Starts a job that resends deliveries in their order, each like `POST /webhooks/{id}/resend`: up to 1,000 by their `ids`, or up to 10,000 that a `filter` selects at this moment; more are a 400. With `dry_run`, it counts them exactly instead.
   *
   * Deliveries are skipped if they are pending, their payload is erased, their endpoint is deleted or its filter excludes them now. A filter also skips deliveries that are resends themselves, so that nothing is sent twice by one job.
   *
   * The job passes over an endpoint while 100 deliveries are pending for it, and comes back to it later: an endpoint that is down delays its own deliveries alone. The job fails when the month's webhooks are used up. To replay everything of one endpoint, however much, use `POST /endpoints/{id}/replay`.
   *
   * Needs the permission `webhooks:retry`.
   */
  resendWebhooks: {
    parameters: {
      header?: {
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "filter": {
         *     "status": "failed",
         *     "after": "2026-01-31T00:00:00Z"
         *   },
         *   "dry_run": true
         * }
         */
        "application/json": components["schemas"]["ResendSelection"];
      };
    };
    responses: {
      /** @description With `dry_run`: the counts. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["ResendCount"];
        };
      };
      /** @description The job. */
      202: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
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
   * Count deliveries by status and answer
   * @description Counts the deliveries that match the filters of the list with cursors, newest first, for a second at most. If the time is over, `complete` is false, and deliveries accepted before `oldest_at` are not counted. Use `after` to count less. One count runs per account, two in all; others wait.
   *
   * Needs the permission `webhooks:read`.
   */
  summarizeWebhooks: {
    parameters: {
      query?: {
        /** @description Only deliveries in this status. */
        status?: components["schemas"]["DeliveryStatus"];
        /** @description Only deliveries of this event type. */
        event_type?: string;
        /** @description Only deliveries to this endpoint. */
        endpoint_id?: string;
        /** @description Only deliveries created at or after this time. */
        after?: string;
        /** @description Only deliveries created before this time. */
        before?: string;
        /** @description Only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response. */
        response_status?: string;
        /** @description Only deliveries with an attempt that failed with this error. */
        error?: components["schemas"]["AttemptError"];
        /** @description Only deliveries with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description The counts. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "application/json": components["schemas"]["WebhookSummary"];
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
   * Follow deliveries
   * @description Sends each delivery once, as `delivery`, in the order of acceptance. While it is pending, and among the account's latest
   * 200 of this stream, its changes follow as `update`. With `status`, a delivery is sent once it has this status.
   *
   * Nothing is left out: after an interruption, send the `id` of the last event as `Last-Event-ID` or `iterator`, as browsers do.
   * The iterator of `GET /webhooks` works as well. Changes of deliveries from before the interruption are not sent.
   *
   * The answer is a stream of server-sent events that stays open, with a comment at least every 15 seconds. It ends within five seconds of the credential that it was opened with. At most 20 streams per account and 256 in all in a process; one more gets a 429. A portal session has at most 3, and the portal sessions of an account 20 beside the account's own. A reader that is too slow gets its events later; nothing is left out.
   *
   * Needs the permission `webhooks:read`.
   */
  tailWebhooks: {
    parameters: {
      query?: {
        /** @description `now` (the default), `start`, the id of an event, or the iterator of a list. */
        iterator?: string;
        /** @description Only deliveries of this event type. */
        event_type?: string;
        /** @description Only deliveries to this endpoint. */
        endpoint_id?: string;
        /** @description Only deliveries in this status, once they have it. */
        status?: components["schemas"]["DeliveryStatus"];
        /** @description Only deliveries with this value in this top-level field of their payload. The names begin with `data.`. */
        data?: {
          [key: string]: string;
        };
      };
      header?: {
        "Last-Event-ID"?: components["parameters"]["LastEventId"];
        "Hermod-Account"?: components["parameters"]["HermodAccount"];
      };
    };
    responses: {
      /** @description Events `delivery` and `update`, each with a delivery and its `sequence`, as in lists with cursors. */
      200: {
        headers: {
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
          "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
          "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
        };
        content: {
          "text/event-stream": string;
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
  /** A webhook */
  receiveWebhook: {
    parameters: {
      header: {
        /**
         * @description The delivery's id: the same for all its attempts and when it is resent.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        "webhook-id": string;
        /**
         * @description When this attempt was made, in Unix seconds.
         * @example 1769860801
         */
        "webhook-timestamp": number;
        /**
         * @description As in [Standard Webhooks](https://www.standardwebhooks.com): `v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops. Several signatures, separated by spaces, while a secret is being replaced.
         * @example v1,8WKVdYjd+tC9sX0UJGAAsS/BXVP6kVd3AbtPrk7EkEg=
         */
        "webhook-signature": string;
        /**
         * @description Counts from 1.
         * @example 1
         */
        "webhook-attempt": number;
        /**
         * @description How many deliveries of Hermod led to this request, itself included; usually 1.
         * @example 1
         */
        "webhook-hops": number;
        /**
         * @description The delivery's number at its endpoint: 1, 2, 3 …
         * @example 42
         */
        "webhook-sequence": number;
        /**
         * @description The event type, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example order.created
         */
        "webhook-event"?: string;
        /**
         * @description The delivery's `ordering_key`, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example customer-42
         */
        "webhook-ordering-key"?: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "order_id": 4711,
         *   "total": "99.90"
         * }
         */
        "application/json": unknown;
      };
    };
    responses: {
      /** @description The delivery is delivered, if the whole head of the answer arrives, and the whole request is written, before the attempt's deadline. */
      "2XX": {
        content: never;
      };
      /** @description Hermod tries again. The second 410, at least a minute after the first, sets the endpoint inactive, and its deliveries wait. */
      410: {
        content: never;
      };
      /** @description The whole endpoint rests until the time in Retry-After, or for the schedule's first wait. */
      429: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description With Retry-After, the whole endpoint rests until then. Without it, Hermod tries again. */
      503: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description Hermod tries again after the next wait of the retry schedule, or after the time in Retry-After, up to an hour, if that is longer. Hermod does not follow redirects. */
      default: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
          /** @description `abort-message`: the delivery fails at once. `disable`: Hermod sets the endpoint inactive, and its deliveries wait. */
          "webhook-delivery"?: "abort-message" | "disable";
        };
        content: never;
      };
    };
  };
  /** A webhook, if the endpoint has the format `envelope` */
  receiveEnvelope: {
    parameters: {
      header: {
        /**
         * @description The delivery's id: the same for all its attempts and when it is resent.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        "webhook-id": string;
        /**
         * @description When this attempt was made, in Unix seconds.
         * @example 1769860801
         */
        "webhook-timestamp": number;
        /**
         * @description As in [Standard Webhooks](https://www.standardwebhooks.com): `v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops. Several signatures, separated by spaces, while a secret is being replaced.
         * @example v1,8WKVdYjd+tC9sX0UJGAAsS/BXVP6kVd3AbtPrk7EkEg=
         */
        "webhook-signature": string;
        /**
         * @description Counts from 1.
         * @example 1
         */
        "webhook-attempt": number;
        /**
         * @description How many deliveries of Hermod led to this request, itself included; usually 1.
         * @example 1
         */
        "webhook-hops": number;
        /**
         * @description The delivery's number at its endpoint: 1, 2, 3 …
         * @example 42
         */
        "webhook-sequence": number;
        /**
         * @description The event type, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example order.created
         */
        "webhook-event"?: string;
        /**
         * @description The delivery's `ordering_key`, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example customer-42
         */
        "webhook-ordering-key"?: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "id": "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
         *   "type": "order.created",
         *   "timestamp": "2026-01-31T12:00:00.000Z",
         *   "data": {
         *     "order_id": 4711,
         *     "total": "99.90"
         *   }
         * }
         */
        "application/json": components["schemas"]["Envelope"];
      };
    };
    responses: {
      /** @description The delivery is delivered, if the whole head of the answer arrives, and the whole request is written, before the attempt's deadline. */
      "2XX": {
        content: never;
      };
      /** @description Hermod tries again. The second 410, at least a minute after the first, sets the endpoint inactive, and its deliveries wait. */
      410: {
        content: never;
      };
      /** @description The whole endpoint rests until the time in Retry-After, or for the schedule's first wait. */
      429: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description With Retry-After, the whole endpoint rests until then. Without it, Hermod tries again. */
      503: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description Hermod tries again after the next wait of the retry schedule, or after the time in Retry-After, up to an hour, if that is longer. Hermod does not follow redirects. */
      default: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
          /** @description `abort-message`: the delivery fails at once. `disable`: Hermod sets the endpoint inactive, and its deliveries wait. */
          "webhook-delivery"?: "abort-message" | "disable";
        };
        content: never;
      };
    };
  };
  /** A feed event, if the endpoint has `feed` and the format `payload` */
  receiveFeedEvent: {
    parameters: {
      header: {
        /**
         * @description The delivery's id: the same for all its attempts and when it is resent.
         * @example wh_01k9x3w7r2e5bt8m1n4p6r8s0v
         */
        "webhook-id": string;
        /**
         * @description When this attempt was made, in Unix seconds.
         * @example 1769860801
         */
        "webhook-timestamp": number;
        /**
         * @description As in [Standard Webhooks](https://www.standardwebhooks.com): `v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by full stops. Several signatures, separated by spaces, while a secret is being replaced.
         * @example v1,8WKVdYjd+tC9sX0UJGAAsS/BXVP6kVd3AbtPrk7EkEg=
         */
        "webhook-signature": string;
        /**
         * @description Counts from 1.
         * @example 1
         */
        "webhook-attempt": number;
        /**
         * @description How many deliveries of Hermod led to this request, itself included; usually 1.
         * @example 1
         */
        "webhook-hops": number;
        /**
         * @description The delivery's number at its endpoint: 1, 2, 3 …
         * @example 42
         */
        "webhook-sequence": number;
        /**
         * @description The event type, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example order.created
         */
        "webhook-event"?: string;
        /**
         * @description The delivery's `ordering_key`, percent-encoded where it is not plain ASCII; absent if the sender gave none.
         * @example customer-42
         */
        "webhook-ordering-key"?: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "type": "delivery.failed",
         *   "timestamp": "2026-01-31T12:00:00.000Z",
         *   "data": {
         *     "id": "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
         *     "endpoint_id": "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
         *     "event": "order.created",
         *     "attempt_count": 11,
         *     "response_status": 503,
         *     "error": null,
         *     "error_detail": null,
         *     "failure_reason": null,
         *     "created_at": "2026-01-30T20:00:00.000Z"
         *   }
         * }
         */
        "application/json": components["schemas"]["FeedEvent"];
      };
    };
    responses: {
      /** @description The delivery is delivered, if the whole head of the answer arrives, and the whole request is written, before the attempt's deadline. */
      "2XX": {
        content: never;
      };
      /** @description Hermod tries again. The second 410, at least a minute after the first, sets the endpoint inactive, and its deliveries wait. */
      410: {
        content: never;
      };
      /** @description The whole endpoint rests until the time in Retry-After, or for the schedule's first wait. */
      429: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description With Retry-After, the whole endpoint rests until then. Without it, Hermod tries again. */
      503: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
        };
        content: never;
      };
      /** @description Hermod tries again after the next wait of the retry schedule, or after the time in Retry-After, up to an hour, if that is longer. Hermod does not follow redirects. */
      default: {
        headers: {
          /** @description Seconds, also with a fraction, or an HTTP date. */
          "Retry-After"?: string;
          /** @description `abort-message`: the delivery fails at once. `disable`: Hermod sets the endpoint inactive, and its deliveries wait. */
          "webhook-delivery"?: "abort-message" | "disable";
        };
        content: never;
      };
    };
  };
}
