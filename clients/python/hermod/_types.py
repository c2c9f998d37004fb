"""The types of inputs and answers. Both are dictionaries at run time."""

# Written by clients/generate.ts from the API document.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

ActorKind = Literal["key", "jwt", "portal", "person"]


AddressError = Literal["invalid_url", "https_required", "blocked_address", "dns"]


AttemptError = Literal["timeout", "invalid_url", "https_required", "blocked_address", "dns", "connection_refused", "connection_reset", "connection_failed", "tls", "proxy", "mail_server", "protocol", "response_too_large", "forgery_accepted", "receiver_failed", "lease_expired"]


AttemptKind = Literal["pushed", "pulled"]


BodyFormat = Literal["payload", "envelope", "cloudevents", "cloudevents_binary", "slack", "teams", "email"]


CancelReason = Literal["endpoint_deleted", "event_filter", "requested", "erased", "forgery_refused"]


CheckName = Literal["valid", "forged", "unsigned", "old_timestamp", "duplicate", "exact_bytes", "unknown_type", "large", "out_of_order", "speed", "tls"]


CheckOutcome = Literal["passed", "warning", "failed", "not_tried"]


CheckReason = Literal["refused", "redirected", "unanswered", "accepted", "crashed", "slow", "plain_http", "not_trusted", "after_failure", "out_of_time", "no_deliveries"]


CodeLanguage = Literal["ts", "python", "go", "java"]


DeliveryStatus = Literal["pending", "delivered", "failed", "cancelled"]


DeliveryWay = Literal["push", "pull"]


EndReason = Literal["endpoint_deleted", "event_filter", "requested", "erased", "forgery_refused", "expired"]


EndedStatus = Literal["delivered", "failed", "cancelled"]


ErrorCode = Literal["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "METHOD_NOT_ALLOWED", "CONFLICT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "MISDIRECTED", "RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE", "CELL_UNAVAILABLE"]


EventTypeSource = Literal["installation", "account"]


FilterOutcome = Literal["match", "event_types", "filter", "error"]


FinalStatus = Literal["delivered", "failed", "cancelled", "removed"]


HealthState = Literal["healthy", "failing", "blocked", "disabled", "paused"]


ImportOutcome = Literal["imported", "refused"]


JobKind = Literal["replay", "missing_replay", "resend", "erasure"]


JobStatus = Literal["running", "completed", "cancelled", "failed"]


MissedReason = Literal["event_filter", "filter", "filter_changed", "inactive", "created_later"]


OnExhausted = Literal["skip", "pause"]


Ordering = Literal["ordered", "by_key", "unordered"]


Permission = Literal["endpoints:read", "endpoints:write", "webhooks:read", "webhooks:write", "webhooks:retry", "event-types:write", "stats:read", "keys:write", "accounts:act", "admin"]


ProcessRole = Literal["all", "api", "dispatcher"]


RequestedCapability = Literal["view", "manage_endpoints", "retry", "view_payloads", "test", "endpoints", "payloads"]


WaitingReason = Literal["scheduled", "pause", "turn", "retry", "rest", "max_in_flight", "rate_limit", "receiver", "attempt"]


WhileInactive = Literal["hold", "skip"]


class ListActivityQuery(TypedDict):
    """List the changes in the account"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only changes by this key, also by its sessions.
    key_id: NotRequired[str]
    # Only changes by this person.
    person: NotRequired[str]
    # Only this operation, such as `updateEndpoint`; one that the audit log never has is a 400.
    operation: NotRequired[str]
    # Only changes of the resource with this id or name, such as `ep_…`.
    target: NotRequired[str]
    # Only changes at or after this time.
    after: NotRequired[str]
    # Only changes before this time.
    before: NotRequired[str]


class ListAccountsQuery(TypedDict):
    """List accounts"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class ListAuditQuery(TypedDict):
    """List the changes in all accounts"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only changes about the account with this id.
    account_id: NotRequired[str]
    # Only this account, by its id or its external id.
    account: NotRequired[str]
    # Only changes by this key, also by its sessions.
    key_id: NotRequired[str]
    # Only changes by this person.
    person: NotRequired[str]
    # Only this operation, such as `updateEndpoint`; one that the audit log never has is a 400.
    operation: NotRequired[str]
    # Only changes of the resource with this id or name, such as `ep_…`.
    target: NotRequired[str]
    # Only changes at or after this time.
    after: NotRequired[str]
    # Only changes before this time.
    before: NotRequired[str]


class ListAllDeliveriesQuery(TypedDict):
    """List deliveries of all accounts"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only this account, by its id or its external id.
    account: NotRequired[str]
    # Only deliveries in this status.
    status: NotRequired[DeliveryStatus]
    # Only deliveries of this event type.
    event_type: NotRequired[str]
    # Only deliveries to this endpoint.
    endpoint_id: NotRequired[str]
    # Only deliveries created at or after this time.
    after: NotRequired[str]
    # Only deliveries created before this time.
    before: NotRequired[str]
    # Only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response.
    response_status: NotRequired[str]
    # Only deliveries with an attempt that failed with this error.
    error: NotRequired[AttemptError]
    # Only deliveries with this ordering key.
    ordering_key: NotRequired[str]
    # Only deliveries with this number at their endpoint.
    sequence: NotRequired[int]
    # Only deliveries with this value in this top-level field of their payload.
    data: NotRequired[dict[str, str]]


class ListAllEndpointsQuery(TypedDict):
    """List endpoints of all accounts"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only this account, by its id or its external id.
    account: NotRequired[str]
    # Only endpoints in this state.
    health: NotRequired[HealthState]
    # Only the endpoint with this external id.
    external_id: NotRequired[str]
    # Only endpoints with this text in the description, URL, external id or metadata.
    q: NotRequired[str]
    # Only endpoints with this value in the metadata, such as `metadata.team=payments`; at most 5 of them.
    metadata: NotRequired[dict[str, str]]


class ListInstallationEventTypesQuery(TypedDict):
    """List the installation's event types"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class ListAllEventsQuery(TypedDict):
    """List events of all accounts"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only this account, by its id or its external id.
    account: NotRequired[str]
    # Only events of this type.
    event_type: NotRequired[str]
    # Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends.
    event_id: NotRequired[str]
    # Only events created at or after this time.
    after: NotRequired[str]
    # Only events created before this time.
    before: NotRequired[str]
    # Only events with this value in this top-level field of their payload.
    data: NotRequired[dict[str, str]]


class GetAllStatsSeriesQuery(TypedDict):
    """Get figures over time of all accounts"""

    # The beginning; a day before `to` by default.
    from_: NotRequired[str]
    # The end; now by default.
    to: NotRequired[str]
    # The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`.
    step: NotRequired[str]
    # Only this account, by its id or its external id.
    account: NotRequired[str]


class GetBacklogQuery(TypedDict):
    """List endpoints with pending deliveries"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class ListEndpointsQuery(TypedDict):
    """List endpoints"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only endpoints in this state.
    health: NotRequired[HealthState]
    # Only the endpoint with this external id.
    external_id: NotRequired[str]
    # Only endpoints with this text in the description, URL, external id or metadata.
    q: NotRequired[str]
    # Only endpoints with this value in the metadata, such as `metadata.team=payments`; at most 5 of them.
    metadata: NotRequired[dict[str, str]]


class GetEndpointLogQuery(TypedDict):
    """Read an endpoint's numbers, and what became of each"""

    # The first number; 1 by default.
    from_: NotRequired[int]
    # Numbers on a page, 100 by default and 500 at most; a larger number is lowered to 500.
    limit: NotRequired[int]


class GetEndpointQueueQuery(TypedDict):
    """List an endpoint's pending deliveries, in order"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only deliveries with this ordering key.
    ordering_key: NotRequired[str]


class GetEndpointStatsSeriesQuery(TypedDict):
    """Get an endpoint's figures over time"""

    # The beginning; a day before `to` by default.
    from_: NotRequired[str]
    # The end; now by default.
    to: NotRequired[str]
    # The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`.
    step: NotRequired[str]


class ListStuckOrdersQuery(TypedDict):
    """List the orders whose first delivery is retried"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]


class ListEventTypesQuery(TypedDict):
    """List event types"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class GetEventTypeCodeQuery(TypedDict):
    """Write types for an event type's payload"""

    # TypeScript by default.
    language: NotRequired[CodeLanguage]


class ListEventsQuery(TypedDict):
    """List events"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only events of this type.
    event_type: NotRequired[str]
    # Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends.
    event_id: NotRequired[str]
    # Only events created at or after this time.
    after: NotRequired[str]
    # Only events created before this time.
    before: NotRequired[str]
    # Only events with this value in this top-level field of their payload.
    data: NotRequired[dict[str, str]]


class ListEventDeliveriesQuery(TypedDict):
    """List an event's deliveries"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class ListMissedEndpointsQuery(TypedDict):
    """List the endpoints that did not get an event"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]


class ListJobsQuery(TypedDict):
    """List jobs"""

    # Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # The `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Only jobs in this status.
    status: NotRequired[JobStatus]


class GetStatsSeriesQuery(TypedDict):
    """Get the account's figures over time"""

    # The beginning; a day before `to` by default.
    from_: NotRequired[str]
    # The end; now by default.
    to: NotRequired[str]
    # The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as `5m`, `1h` or `6h`, or whole days such as `7d`.
    step: NotRequired[str]


class ListWebhooksQuery(TypedDict):
    """List deliveries"""

    # Pages: the page's number, from 1.
    page: NotRequired[int]
    # Pages: Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    per_page: NotRequired[int]
    # Pages: only deliveries of this event type.
    event: NotRequired[str]
    # Both forms: only deliveries in this status.
    status: NotRequired[DeliveryStatus]
    # Cursors: Items per page, 20 by default and 100 at most; a larger number is lowered to 100.
    limit: NotRequired[int]
    # Cursors: the `cursor` of the previous answer.
    cursor: NotRequired[str]
    # Cursors: `start`, `now`, or the `iterator` of the previous answer.
    iterator: NotRequired[str]
    # Cursors: only deliveries of this event type.
    event_type: NotRequired[str]
    # Cursors: only deliveries to this endpoint.
    endpoint_id: NotRequired[str]
    # Cursors: only deliveries created at or after this time.
    after: NotRequired[str]
    # Cursors: only deliveries created before this time.
    before: NotRequired[str]
    # Cursors: only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response.
    response_status: NotRequired[str]
    # Cursors: only deliveries with an attempt that failed with this error.
    error: NotRequired[AttemptError]
    # Cursors: only deliveries with this ordering key.
    ordering_key: NotRequired[str]
    # Cursors: only deliveries with this number at their endpoint.
    sequence: NotRequired[int]
    # Cursors: only deliveries with this value in this top-level field of their payload.
    data: NotRequired[dict[str, str]]


class SummarizeWebhooksQuery(TypedDict):
    """Count deliveries by status and answer"""

    # Only deliveries in this status.
    status: NotRequired[DeliveryStatus]
    # Only deliveries of this event type.
    event_type: NotRequired[str]
    # Only deliveries to this endpoint.
    endpoint_id: NotRequired[str]
    # Only deliveries created at or after this time.
    after: NotRequired[str]
    # Only deliveries created before this time.
    before: NotRequired[str]
    # Only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, or `0` for no HTTP response.
    response_status: NotRequired[str]
    # Only deliveries with an attempt that failed with this error.
    error: NotRequired[AttemptError]
    # Only deliveries with this ordering key.
    ordering_key: NotRequired[str]
    # Only deliveries with this number at their endpoint.
    sequence: NotRequired[int]
    # Only deliveries with this value in this top-level field of their payload.
    data: NotRequired[dict[str, str]]


class AcceptedCounts(TypedDict):
    """Deliveries accepted for the endpoint."""

    last_day: int
    last_hour: int
    last_minute: int


class AcceptedDelivery(TypedDict):
    attempt_count: int
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    created_at: str
    # When it is, or was, due.
    deliver_after: NotRequired[str]
    endpoint_id: str
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    status: DeliveryStatus


class Account(TypedDict):
    created_at: str
    external_id: str | None
    # Begins with `acc_`.
    id: str
    name: str
    plan: str


class AccountDelivery(TypedDict):
    account_id: str
    attempt_count: int
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    # When it ended; null while pending.
    completed_at: str | None
    created_at: str
    # The description of its endpoint.
    endpoint_description: str | None
    endpoint_id: str
    # The URL of its endpoint; null if its receiver reads its deliveries.
    endpoint_url: str | None
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    # Present only while pending; null unless it waits for a retry.
    next_attempt_at: NotRequired[str | None]
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.
    response_status: int | None
    # The delivery's number at its endpoint; null if the filter excluded it, or until it is due.
    sequence: int | None
    status: DeliveryStatus
    waiting_for: NotRequired[WaitingFor]


class AccountDeliveryPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[AccountDelivery]


class AccountEndpoint(TypedDict):
    account_id: str
    # Most deliveries of one order in a request, 1 by default.
    batch_size: int
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: str
    created_at: str
    # How deliveries reach the receiver.
    delivery: DeliveryWay
    description: str | None
    # The patterns of `event_types`, separated by commas.
    event_filter: str
    event_types: list[str]
    external_id: str | None
    feed: bool
    # The accounts that its feed reports on, `*` for all; null for its own.
    feed_accounts: list[str] | None
    # The condition in CEL that events must match beside their type.
    filter: str | None
    # The form of the body.
    format: BodyFormat
    # The headers of requests to the endpoint, without the secret ones.
    headers: dict[str, str]
    health: EndpointHealth
    # Begins with `ep_`.
    id: str
    is_active: bool
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: int
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: dict[str, str]
    # What happens when a delivery has used up its schedule.
    on_exhausted: OnExhausted
    # Which deliveries are sent in order, one at a time.
    ordering: Ordering
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: list[int]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: float | None
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: list[int] | None
    # The names of the secret headers.
    sensitive_headers: list[str]
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: int | None
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: bool
    # Null with `delivery: pull`.
    url: str | None
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: WhileInactive


class AccountEndpointPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[AccountEndpoint]


class AccountEvent(TypedDict):
    account_id: str
    created_at: str
    # The number of deliveries that were accepted with the event.
    delivery_count: int
    event: str | None
    # Your own id of the event.
    event_id: NotRequired[str]
    # Begins with `evt_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]


class AccountEventPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[AccountEvent]


class AccountPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Account]


class AccountUpsert(TypedDict):
    name: NotRequired[str]
    # The name of a plan.
    plan: NotRequired[str]


class AddressVerdict(TypedDict):
    # Null if an attempt could connect.
    error: AddressError | None
    # The problem, in words.
    message: str | None
    # The form in which it would be stored; null if it would be refused.
    url: str | None


class Attempt(TypedDict):
    # The address and port that Hermod connected to, or tried last.
    address: str | None
    # Counts from 1.
    attempt: int
    # The request held `size` deliveries of the order, from the number `first_sequence` on, and `request_headers` are theirs.
    batch: dict[str, Any] | None
    duration_ms: int
    # Why there was no complete HTTP response: `timeout`, `invalid_url`, `https_required`, `blocked_address`, `dns`, `connection_refused`, `connection_reset`, `connection_failed`, `tls`, `proxy`, `mail_server`, `protocol`, `response_too_large`, `forgery_accepted`, `receiver_failed`, `lease_expired`.
    error: str | None
    # The reason, where more is known: for `blocked_address` `internal_name`, `recipient_not_permitted`; for `timeout` `not_connected`, `no_response`, `request_not_taken`, `answer_cut_short`; for `connection_reset` `request_not_taken`, `answer_cut_short`; for `dns` `name_not_found`, `no_answer`, `server_failure`, `query_refused`, `unreadable_answer`, `too_many_lookups`; for `connection_failed` `network_unreachable`, `host_unreachable`, `connection_timed_out`; for `tls` `certificate_expired`, `certificate_not_yet_valid`, `certificate_wrong_name`, `certificate_self_signed`, `certificate_unknown_authority`, `certificate_chain_incomplete`, `certificate_invalid`, `client_certificate_required`, `tls_version`, `http2_only`, `not_tls`, `unknown_name`, `handshake_refused`, `handshake_too_large`, `renegotiation`; for `protocol` `not_http`, `switched_protocol`, `status_invalid`, `length_invalid`, `chunks_invalid`, `too_many_fields`; for `proxy` `proxy_unreachable`, `proxy_credentials`, `proxy_timeout`, `tunnel_refused`; for `mail_server` `mail_server_not_set`, `mail_server_unreachable`, `mail_server_tls`, `mail_server_credentials`, `mail_server_refused`, `mail_server_timeout`, `mail_server_closed`.
    error_detail: str | None
    # `pushed`: Hermod sent the delivery.
    kind: AttemptKind
    # The redirect's target, its first 2,048 bytes.
    location: str | None
    # The headers that were sent.
    request_headers: dict[str, str] | None
    # The beginning, up to HERMOD_RESPONSE_BODY bytes: 4 KiB by default.
    response_body: str | None
    # The headers of the response, names in lower case, as far as they fit into 4096 characters.
    response_headers: dict[str, str] | None
    # The receiver's HTTP status, or the code of the mail server's reply to an e-mail, such as 250; 0 if there was no response.
    status: int
    timestamp: str
    timing: AttemptTiming


AttemptCounts = TypedDict("AttemptCounts", {
    "1xx": int,
    "2xx": int,
    "3xx": int,
    "4xx": int,
    "5xx": int,
    "none": int,
    "other": int,
})


class AttemptTiming(TypedDict):
    """Where the time went."""

    # The connection; null if one was open already, or none came about.
    connect_ms: int | None
    # From the first byte of the request to the first byte of the response.
    first_byte_ms: int | None
    # The look-up of the name; null if it was known, or the URL has an address.
    lookup_ms: int | None
    # The TLS handshake; null without one.
    tls_ms: int | None


class AuditActor(TypedDict):
    # The key's id.
    id: str | None
    kind: ActorKind
    # The key's name at the time, or the person.
    name: str | None
    # The session in a browser, if it was one.
    session_id: str | None


class AuditEntry(TypedDict):
    # The account that the change is about.
    account_id: str
    actor: AuditActor
    # The fields of the request.
    after: dict[str, Any] | None
    at: str
    # The values of the changed fields before, where they are known and small.
    before: dict[str, Any] | None
    # Begins with `aud_`.
    id: str
    # The `operationId` of the request.
    operation: str
    # The request's `x-request-id`.
    request_id: str
    # The id or the name of the changed or created resource.
    target: str | None


class AuditPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[AuditEntry]


class Backlog(TypedDict):
    endpoint_id: str
    head: ListedDelivery
    # True if the first of them has been pending for longer than 5 s, and for longer than 99 % of the attempts of the last hour took, unless the account set the endpoint inactive.
    late: bool
    # Its pending deliveries.
    pending: int
    # When the first of them was accepted, or due if it was scheduled.
    since: str


class BacklogPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Backlog]


class BlockingDelivery(TypedDict):
    attempt_count: int
    # Begins with `wh_`.
    id: str
    last_attempt: LastFailure
    ordering_key: str | None
    sequence: int


class CatalogueDocument(TypedDict):
    """The document."""



class CatalogueImport(TypedDict):
    # An OpenAPI 3 document with `webhooks`, `x-webhooks` or callbacks, or an AsyncAPI 2 or 3 document, as JSON.
    document: NotRequired[dict[str, Any]]
    # Such a document as a text in YAML 1.2 with merge keys, in place of `document`.
    yaml: NotRequired[str]


class CatalogueImportResult(TypedDict):
    # In the order of the document.
    data: list[ImportedEventType]
    imported: int
    refused: int


class Cell(TypedDict):
    # Null while the cell can't be reached.
    accepts_accounts: bool | None
    # The number of its accounts.
    accounts: int | None
    # Whether the router reaches the cell.
    is_reachable: bool
    name: str


class CellList(TypedDict):
    data: list[Cell]


class Certification(TypedDict):
    # Always all checks, in the same order.
    checks: list[CertificationCheck]
    duration_ms: int
    endpoint_id: str
    # `failed` if a check failed, else `warning` if one has a warning, else `passed`.
    outcome: CheckOutcome
    started_at: str


class CertificationAnswer(TypedDict):
    """The answer that decided; null if nothing was sent."""

    duration_ms: int
    # As in an attempt.
    error: str | None
    # As in an attempt.
    error_detail: str | None
    # The redirect's target, which Hermod did not follow.
    location: str | None
    # 0 if there was no response.
    status: int
    # The TLS handshake; null without one.
    tls_ms: int | None


class CertificationCheck(TypedDict):
    answer: CertificationAnswer
    check: CheckName
    # The page and section that say how.
    docs: str | None
    # What to change at the receiver, in words.
    mend: str | None
    outcome: CheckOutcome
    # Why it did not pass; null if it passed.
    reason: CheckReason | None
    # What was sent; null if the answers to others show it.
    sent: str | None
    # What the receiver did, in words.
    text: str


class CheckedAddress(TypedDict):
    # An http or https URL.
    url: str


class CodeFile(TypedDict):
    name: str
    text: str


class CreateAccount(TypedDict):
    # Your own id, which must be unique.
    external_id: NotRequired[str | None]
    name: str
    # The name of a plan.
    plan: NotRequired[str | None]


class CreateEndpoint(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: NotRequired[int | None]
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: NotRequired[str | None]
    # How deliveries reach the receiver.
    delivery: NotRequired[DeliveryWay | None]
    description: NotRequired[str | None]
    # The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them.
    event_filter: NotRequired[str | None]
    # The same filter as a list; here event types may contain commas.
    event_types: NotRequired[list[str] | None]
    # Your own id, which must be unique.
    external_id: NotRequired[str | None]
    # True if the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter.
    feed: NotRequired[bool | None]
    # Makes it a feed of the installation, with `feed: true`: it reports on the accounts with these ids, or with `*` on all.
    feed_accounts: NotRequired[list[str] | None]
    # A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`.
    filter: NotRequired[str | None]
    # The form of the body.
    format: NotRequired[BodyFormat | None]
    # Headers of every request to the endpoint, from the next attempt on.
    headers: NotRequired[dict[str, str] | None]
    # True if Hermod sends its deliveries.
    is_active: NotRequired[bool | None]
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: NotRequired[int | None]
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: NotRequired[dict[str, str] | None]
    # What happens when a delivery has used up its schedule.
    on_exhausted: NotRequired[OnExhausted | None]
    # Which deliveries are sent in order, one at a time.
    ordering: NotRequired[Ordering | None]
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: NotRequired[list[int] | None]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: NotRequired[float | None]
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: NotRequired[list[int] | None]
    # The names in `headers` whose values are secret: stored encrypted, never shown.
    sensitive_headers: NotRequired[list[str] | None]
    # A secret that the receiver already has, for example when you migrate to Hermod: `whsec_` and the base64 (with padding) of 24 to 64 random bytes.
    signing_secret: NotRequired[str | None]
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: NotRequired[int | None]
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: NotRequired[bool | None]
    # Where deliveries are sent: an http or https URL.
    url: NotRequired[str]
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: NotRequired[WhileInactive | None]


class CreateErasure(TypedDict):
    # Selects deliveries created at this moment or later (ISO 8601).
    after: NotRequired[str]
    # Selects deliveries created before this moment (ISO 8601).
    before: NotRequired[str]
    # Selects deliveries to this endpoint.
    endpoint_id: NotRequired[str]
    # Selects deliveries of this event type.
    event: NotRequired[str]


class CreateEvent(TypedDict):
    # The payload, any JSON value.
    data: Any
    # When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION.
    deliver_after: NotRequired[str | None]
    event: NotRequired[str | None]
    # Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends.
    event_id: NotRequired[str | None]
    # Groups deliveries, for example by a customer's id.
    ordering_key: NotRequired[str | None]


class CreateEvents(TypedDict):
    events: list[CreateEvent]


class CreateKey(TypedDict):
    # When the key expires (ISO 8601).
    expires_at: NotRequired[str | None]
    name: NotRequired[str | None]
    # The key's permissions.
    permissions: NotRequired[list[Permission]]


class CreatePortalSession(TypedDict):
    # The account's id or external id.
    account: NotRequired[str | None]
    # What the session may do: see endpoints and deliveries, change endpoints, retry and resend, see payloads and answers, send test events.
    capabilities: list[RequestedCapability]
    # The endpoints that the session sees.
    endpoint_ids: NotRequired[list[str] | None]
    # An upper bound, as patterns like those of an endpoint's `event_types`: the session can't let an endpoint get other event types, and sees, searches and resends no payloads of others.
    event_types: NotRequired[list[str] | None]
    locale: NotRequired[str | None]
    # The origin of the page that embeds the portal, one of `HERMOD_PORTAL_ORIGINS`.
    origin: NotRequired[str | None]
    product_name: NotRequired[str | None]
    theme: NotRequired[PortalTheme]
    # The duration of the session from its opening, in seconds.
    ttl: NotRequired[int | None]


class CreateReceiverKey(TypedDict):
    name: NotRequired[str | None]


class CreateReplay(TypedDict):
    # Selects deliveries created at this moment or later (ISO 8601).
    after: NotRequired[str]
    # Selects deliveries created before this moment (ISO 8601).
    before: NotRequired[str]
    # Selects deliveries of this event type.
    event: NotRequired[str]
    # True: sends the events of the range that the endpoint's filter matches now and of which it has no delivery.
    missing: NotRequired[bool]
    # Selects deliveries with this status.
    status: NotRequired[EndedStatus]


class CreateSchema(TypedDict):
    # A JSON Schema, draft 2020-12 or draft 7.
    schema: dict[str, Any]


class CreateWebhook(TypedDict):
    # The payload, any JSON value.
    data: Any
    # When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION.
    deliver_after: NotRequired[str | None]
    endpoint_id: str
    event: NotRequired[str | None]
    # Groups deliveries, for example by a customer's id.
    ordering_key: NotRequired[str | None]


class CreateWebhooks(TypedDict):
    webhooks: list[CreateWebhook]


class CreatedEndpoint(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: int
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: str
    created_at: str
    # How deliveries reach the receiver.
    delivery: DeliveryWay
    description: str | None
    # The patterns of `event_types`, separated by commas.
    event_filter: str
    event_types: list[str]
    external_id: str | None
    feed: bool
    # The accounts that its feed reports on, `*` for all; null for its own.
    feed_accounts: list[str] | None
    # The condition in CEL that events must match beside their type.
    filter: str | None
    # The form of the body.
    format: BodyFormat
    # The headers of requests to the endpoint, without the secret ones.
    headers: dict[str, str]
    health: EndpointHealth
    # Begins with `ep_`.
    id: str
    is_active: bool
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: int
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: dict[str, str]
    # What happens when a delivery has used up its schedule.
    on_exhausted: OnExhausted
    # Which deliveries are sent in order, one at a time.
    ordering: Ordering
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: list[int]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: float | None
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: list[int] | None
    # The names of the secret headers.
    sensitive_headers: list[str]
    # Begins with `whsec_`; shown only this once.
    signing_secret: str
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: int | None
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: bool
    # Null with `delivery: pull`.
    url: str | None
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: WhileInactive


class CreatedKey(TypedDict):
    created_at: str
    # The key that created this one.
    created_by: str | None
    expires_at: str | None
    # Begins with `key_`.
    id: str
    is_active: bool
    # The key's text, shown only in this answer.
    key: str
    # To the minute; null if the key was never used.
    last_used_at: str | None
    name: str | None
    permissions: list[Permission]


class CreatedReceiverKey(TypedDict):
    created_at: str
    # Begins with `key_`.
    id: str
    # The key's text, shown only in this answer.
    key: str
    # To the minute; null if the key was never used.
    last_used_at: str | None
    name: str | None


class Deleted(TypedDict):
    deleted: bool


class DeliveriesAhead(TypedDict):
    # False if 1,000 deliveries were examined, so that there may be more.
    complete: bool
    count: int


class Delivery(TypedDict):
    attempt_count: int
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    created_at: str
    endpoint_id: str
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.
    response_status: int | None
    status: DeliveryStatus


class DeliveryDetail(TypedDict):
    attempt_count: int
    attempts: list[Attempt]
    # The number of deliveries behind it in its order; that or more unless `behind_complete`.
    behind: NotRequired[int]
    # False if 1,000 deliveries behind it were examined, so that there may be more.
    behind_complete: NotRequired[bool]
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    completed_at: str | None
    created_at: str
    # The payload; null once it is erased (`erased_at`).
    data: Any
    # When it is, or was, due.
    deliver_after: NotRequired[str]
    endpoint_id: str
    # When the payload was erased; present only if it was.
    erased_at: NotRequired[str]
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    next_attempt_at: str | None
    # The id of the event of the delivery or its original; begins with `evt_`.
    of_event: NotRequired[str]
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # Its place in its order, 1 for the first; that or further back unless `place_complete`.
    place: NotRequired[int]
    # False if 1,000 deliveries in front were examined, so that there may be more.
    place_complete: NotRequired[bool]
    # The id of the original delivery, if this one resends it.
    replay_of: NotRequired[str]
    # The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.
    response_status: int | None
    # The delivery's number at its endpoint; null if the filter excluded it, or until it is due.
    sequence: int | None
    status: DeliveryStatus
    waiting_for: NotRequired[WaitingFor]


class DeliveryInFront(TypedDict):
    attempt_count: int
    # Begins with `wh_`.
    id: str
    # When its next attempt begins; null if one is under way or due now.
    next_attempt_at: str | None
    # The HTTP status of its last attempt; 0 if there was no HTTP response, null before the first attempt.
    response_status: int | None
    sequence: int
    # When its first attempt began; null if there was none.
    since: str | None


class DeliveryListing(TypedDict):
    # Cursors: send it as `cursor` to get the next page; null on the last page.
    cursor: NotRequired[str | None]
    # Cursors: the deliveries.
    data: NotRequired[list[ListedDelivery]]
    # Pages: the deliveries.
    deliveries: NotRequired[list[Delivery]]
    # Cursors: present if `iterator` was given; send it to continue.
    iterator: NotRequired[str]
    # Pages: the page's number.
    page: NotRequired[int]
    # Pages: the most deliveries of a page.
    per_page: NotRequired[int]
    # Pages: the number of deliveries that match.
    total: NotRequired[int]


class Dependencies(TypedDict):
    # Whether NATS answers this process.
    nats: bool
    # How long it took to answer this request's statement.
    postgres_latency_ms: int
    postgres_version: str


class Endpoint(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: int
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: str
    created_at: str
    # How deliveries reach the receiver.
    delivery: DeliveryWay
    description: str | None
    # The patterns of `event_types`, separated by commas.
    event_filter: str
    event_types: list[str]
    external_id: str | None
    feed: bool
    # The accounts that its feed reports on, `*` for all; null for its own.
    feed_accounts: list[str] | None
    # The condition in CEL that events must match beside their type.
    filter: str | None
    # The form of the body.
    format: BodyFormat
    # The headers of requests to the endpoint, without the secret ones.
    headers: dict[str, str]
    health: EndpointHealth
    # Begins with `ep_`.
    id: str
    is_active: bool
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: int
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: dict[str, str]
    # What happens when a delivery has used up its schedule.
    on_exhausted: OnExhausted
    # Which deliveries are sent in order, one at a time.
    ordering: Ordering
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: list[int]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: float | None
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: list[int] | None
    # The names of the secret headers.
    sensitive_headers: list[str]
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: int | None
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: bool
    # Null with `delivery: pull`.
    url: str | None
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: WhileInactive


class EndpointHealth(TypedDict):
    blocked_by: BlockingDelivery
    # No delivery with a `sequence` up to this one is pending: each was delivered, failed or was cancelled.
    complete_up_to: int
    # Every attempt recorded since then has failed, whatever the state; null if the last one succeeded.
    failing_since: str | None
    filter_errors: FilterErrors
    last_failure: LastFailure
    # The last request of the receiver of a pulled endpoint; null: there was none, or it is pushed.
    last_read_at: str | None
    # The last success, known within a minute; null: there was none.
    last_success_at: str | None
    # When the first of them was accepted; null if there is none.
    oldest_pending_at: str | None
    # Pending deliveries.
    pending: int
    # For a disabled endpoint: `failing`: every attempt failed for as long as HERMOD_DISABLE_AFTER.
    reason: str | None
    # When the endpoint entered this state; null while healthy.
    since: str | None
    # `healthy`: the last attempt succeeded, or there was none.
    state: HealthState


class EndpointLog(TypedDict):
    # Every delivery up to this number has ended.
    complete_up_to: int
    # Each number in order, without a gap.
    data: list[NumberFate]
    # Changes if numbers may come again, since Postgres was restored from a backup or a standby took over.
    epoch: str | None
    # The `from` of the next page.
    next_from: int


class EndpointPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Endpoint]


class EndpointStats(TypedDict):
    accepted: AcceptedCounts
    # When the oldest pending delivery was accepted.
    oldest_pending_at: str | None
    # Pending deliveries.
    pending: int
    recent: RecentAttempts


class EndpointUpsert(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: NotRequired[int]
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: NotRequired[str]
    # How deliveries reach the receiver.
    delivery: NotRequired[DeliveryWay]
    description: NotRequired[str | None]
    # The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them.
    event_filter: NotRequired[str]
    # The same filter as a list; here event types may contain commas.
    event_types: NotRequired[list[str]]
    # True if the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter.
    feed: NotRequired[bool]
    # Makes it a feed of the installation, with `feed: true`: it reports on the accounts with these ids, or with `*` on all.
    feed_accounts: NotRequired[list[str] | None]
    # A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`.
    filter: NotRequired[str | None]
    # The form of the body.
    format: NotRequired[BodyFormat]
    # Headers of every request to the endpoint, from the next attempt on.
    headers: NotRequired[dict[str, str] | None]
    # True if Hermod sends its deliveries.
    is_active: NotRequired[bool]
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: NotRequired[int]
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: NotRequired[dict[str, str]]
    # What happens when a delivery has used up its schedule.
    on_exhausted: NotRequired[OnExhausted]
    # Which deliveries are sent in order, one at a time.
    ordering: NotRequired[Ordering]
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: NotRequired[list[int]]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: NotRequired[float | None]
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: NotRequired[list[int] | None]
    # The names in `headers` whose values are secret: stored encrypted, never shown.
    sensitive_headers: NotRequired[list[str]]
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: NotRequired[int | None]
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: NotRequired[bool]
    # Where deliveries are sent: an http or https URL.
    url: NotRequired[str | None]
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: NotRequired[WhileInactive]


class ErasedPayload(TypedDict):
    erased: bool


class ErrorDetail(TypedDict):
    code: ErrorCode
    # Explains the error to people.
    message: str


class Event(TypedDict):
    created_at: str
    # The number of deliveries that were accepted with the event.
    delivery_count: int
    event: str | None
    # Your own id of the event.
    event_id: NotRequired[str]
    # Begins with `evt_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]


class EventDeliveries(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Delivery]


class EventDetail(TypedDict):
    created_at: str
    # The payload; null once it is erased (`erased_at`).
    data: Any
    # The first 100, the oldest endpoint's first.
    deliveries: list[Delivery]
    # Null if these are all; else send it as `cursor` to `GET /events/{id}/deliveries`.
    deliveries_cursor: str | None
    # The number of deliveries that were accepted with the event.
    delivery_count: int
    # When the payload was erased; present only if it was.
    erased_at: NotRequired[str]
    event: str | None
    # Your own id of the event.
    event_id: NotRequired[str]
    # Begins with `evt_`.
    id: str
    # The first 100 endpoints of the account without a delivery of the event, and why.
    missed: list[MissedEvent]
    # Null if these are all; else send it as `cursor` to `GET /events/{id}/missed`.
    missed_cursor: str | None
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]


class EventPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Event]


class EventResult(TypedDict):
    error: NotRequired[ErrorDetail]
    event: NotRequired[PublishedEvent]
    # The HTTP status that the item would have got in a request of its own.
    status: int


class EventResults(TypedDict):
    # In the order of the items.
    results: list[EventResult]


class EventType(TypedDict):
    # When the event type was first sent or described.
    created_at: str
    deprecated: bool
    description: str | None
    event_type: str
    # A payload, at most 16,384 bytes.
    example: Any
    group: str | None
    # A JSON Schema, draft 2020-12 or draft 7.
    schema: dict[str, Any] | None
    # The number of changes of the schema; 0 if it never had one.
    schema_version: int
    # `account`: the account has described it, or only sent it.
    source: EventTypeSource


class EventTypeDescription(TypedDict):
    # True if receivers should no longer use it.
    deprecated: NotRequired[bool | None]
    description: NotRequired[str | None]
    # A payload, at most 16,384 bytes.
    example: NotRequired[Any]
    # A group for lists, such as `Orders`.
    group: NotRequired[str | None]


class EventTypePage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[EventType]


class EventTypeWithSchema(TypedDict):
    # When the event type was first sent or described.
    created_at: str
    deprecated: bool
    description: str | None
    event_type: str
    # A payload, at most 16,384 bytes.
    example: Any
    group: str | None
    # A JSON Schema, draft 2020-12 or draft 7.
    schema: dict[str, Any] | None
    # The number of changes of the schema; 0 if it never had one.
    schema_version: int
    # `account`: the account has described it, or only sent it.
    source: EventTypeSource
    # The parts of the schema that are not checked, and the number of the newest payloads of the last day that the schema would have refused; empty if none.
    warnings: list[str]


class FilterErrors(TypedDict):
    """Events and webhooks that the endpoint's filter excluded because it failed; null if it has not since it was changed, or HERMOD_RETENTION has passed since."""

    # Events and webhooks that it excluded since then because it failed.
    count: int
    # The last of these events.
    event_id: str | None
    last_at: str
    # It may quote the payload: null once that is erased, and in a portal session without `view_payloads`.
    last_error: str | None
    # When the filter failed first since it was changed.
    since: str
    # Instead of `event_id` if it was sent to the endpoint alone.
    webhook_id: str | None


class FilterTest(TypedDict):
    # Only events and webhooks created at or after this time.
    after: NotRequired[str | None]
    # Only events and webhooks created before this time.
    before: NotRequired[str | None]
    # A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`.
    filter: NotRequired[str | None]


class FilterTestItem(TypedDict):
    created_at: str
    # The reason for which the filter fails.
    error: NotRequired[str]
    event: str | None
    # An event, `evt_…`, or a webhook that was sent to the endpoint alone, `wh_…`.
    id: str
    # `match`: the endpoint would get it.
    outcome: FilterOutcome


class FilterTestResult(TypedDict):
    # The newest first.
    data: list[FilterTestItem]
    # At most 100.
    examined: int
    matched: int


class HistogramBar(TypedDict):
    # The beginning of the bar.
    at: str
    cancelled: int
    delivered: int
    failed: int
    pending: int


class ImportedEventType(TypedDict):
    event_type: str
    outcome: ImportOutcome
    # The reason of the refusal.
    problem: NotRequired[str]
    warnings: list[str]


class Job(TypedDict):
    completed_at: str | None
    created_at: str
    # The reason of the failure, for people.
    failure: str | None
    # Begins with `job_`.
    id: str
    kind: JobKind
    progress: JobProgress
    scope: JobScope
    status: JobStatus


class JobPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[Job]


class JobProgress(TypedDict):
    # Deliveries sent again; or deliveries and events whose payload was erased, including those that share it.
    done: int
    # The number of them that the job has processed so far.
    examined: int
    # Deliveries in the range, of a `missing_replay` events and of an erasure of all endpoints both, counted when the job began.
    total: int | None


class JobScope(TypedDict):
    after: str | None
    before: str
    endpoint_id: str | None
    event: str | None
    status: EndedStatus | None


class Key(TypedDict):
    created_at: str
    # The key that created this one.
    created_by: str | None
    expires_at: str | None
    # Begins with `key_`.
    id: str
    is_active: bool
    # To the minute; null if the key was never used.
    last_used_at: str | None
    name: str | None
    permissions: list[Permission]


class KeyList(TypedDict):
    data: list[Key]


class LastFailure(TypedDict):
    at: str
    error: str | None
    error_detail: str | None
    # 0 if there was no HTTP response.
    status: int


class Latencies(TypedDict):
    # Half of the attempts took at most this long; null without attempts.
    p50: int | None
    # 90 % of the attempts took at most this long; null without attempts.
    p90: int | None
    # 99 % of the attempts took at most this long; null without attempts.
    p99: int | None


class ListedDelivery(TypedDict):
    attempt_count: int
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    # When it ended; null while pending.
    completed_at: str | None
    created_at: str
    endpoint_id: str
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    # Present only while pending; null unless it waits for a retry.
    next_attempt_at: NotRequired[str | None]
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.
    response_status: int | None
    # The delivery's number at its endpoint; null if the filter excluded it, or until it is due.
    sequence: int | None
    status: DeliveryStatus
    waiting_for: NotRequired[WaitingFor]


class Me(TypedDict):
    account: Account
    # How long an endpoint may fail before Hermod sets it inactive: HERMOD_DISABLE_AFTER.
    disable_after_ms: int
    # The key of the request or of its session; null for a JWT and for a person.
    key_id: str | None
    # The key's name, or the person's.
    name: str | None
    permissions: list[Permission]
    # How long ended deliveries are kept: HERMOD_RETENTION.
    retention_ms: int
    # Hermod's version.
    version: str


class MissedEvent(TypedDict):
    endpoint_id: str
    # The error of the endpoint's `filter`, as it is now, for this event.
    error: NotRequired[str]
    # `event_filter`: the endpoint's `event_filter` excludes the event.
    reason: MissedReason


class MissedEventPage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[MissedEvent]


class NumberFate(TypedDict):
    completed_at: str | None
    created_at: str | None
    # The payload, byte for byte as it was sent.
    data: Any
    # True once the payload is erased.
    erased: bool
    event: str | None
    # Begins with `wh_`.
    id: str | None
    ordering_key: str | None
    # Why it was cancelled; `expired` if it failed because it was pending for longer than HERMOD_RETENTION.
    reason: EndReason | None
    # The delivery's number at its endpoint.
    sequence: int
    # What became of the delivery.
    status: FinalStatus
    # As the request's `webhook-id`.
    webhook_id: str | None


class Partition(TypedDict):
    # The id of the process that dispatches for it; null if there is none.
    owner: str | None
    partition: int


class Percentiles(TypedDict):
    """Milliseconds, right to within a tenth; null if there were none."""

    p50: int
    p95: int
    p99: int


class Plan(TypedDict):
    name: str
    # Null means no limit.
    requests_per_minute: int | None
    # Null means no limit.
    webhooks_per_month: int | None


class PlanLimits(TypedDict):
    # Null means no limit.
    requests_per_minute: int | None
    # Null means no limit.
    webhooks_per_month: int | None


class PlanList(TypedDict):
    data: list[Plan]


class PortalLink(TypedDict):
    # The account that it leads to; begins with `acc_`.
    account_id: str
    # When the link can't be opened any more.
    expires_at: str
    # The session's id, begins with `ses_`.
    id: str
    # Open it once, in the customer's browser.
    url: str


class PortalTheme(TypedDict):
    accent: NotRequired[str | None]
    accent_dark: NotRequired[str | None]
    background: NotRequired[str | None]
    font: NotRequired[str | None]
    mode: NotRequired[str | None]
    on_accent: NotRequired[str | None]
    radius: NotRequired[str | None]


class Process(TypedDict):
    # CPU time used since it started.
    cpu_seconds: float
    # Its work at that moment, such as attempts under way and outcomes that wait to be recorded.
    figures: dict[str, float]
    host: str
    id: str
    memory_bytes: int
    pid: int
    role: ProcessRole
    # When it last reported, which it does every 5 s.
    seen_at: str
    started_at: str
    version: str


class PublishedEvent(TypedDict):
    created_at: str
    # A delivery for each endpoint whose filter the event matches, oldest endpoint first.
    deliveries: list[AcceptedDelivery]
    event: str | None
    # Your own id of the event.
    event_id: NotRequired[str]
    # The ids of the deliveries that wait because their endpoint is inactive.
    held: list[str]
    # Begins with `evt_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # The ids of the endpoints whose filter the event matches, and that get no delivery because they are inactive and skip events.
    skipped: list[str]


class QueuePage(TypedDict):
    # Send it as `cursor` to get the next page; null on the last page.
    cursor: str | None
    data: list[ListedDelivery]


class Receive(TypedDict):
    # Acknowledges these deliveries of the page.
    ack: NotRequired[list[str] | None]
    # Acknowledges the page's deliveries up to this `sequence`.
    ack_through: NotRequired[int | None]
    # Reports failed attempts at deliveries of the page.
    fail: NotRequired[list[ReceiveFailure] | None]
    # The receiver's time for the page, in seconds.
    lease: NotRequired[int | None]
    # Most deliveries of the page.
    limit: NotRequired[int | None]
    # The `receipt` of the page to which `ack_through`, `ack` and `fail` refer.
    receipt: NotRequired[str | None]
    # Hands back what the page has left: it may be read again at once, without another `attempt`.
    release: NotRequired[bool | None]
    # How long to wait for a delivery if there is none, in seconds.
    wait: NotRequired[float | None]


class ReceiveFailure(TypedDict):
    # Why; the attempt shows it.
    error: str
    id: str
    # The least wait before the next attempt, in seconds.
    retry_after: NotRequired[float | None]


class ReceivedPage(TypedDict):
    data: list[ReceivedWebhook]
    # Acknowledges the page; null if it is empty.
    receipt: str | None


class ReceivedWebhook(TypedDict):
    # Counts from 1.
    attempt: int
    created_at: str
    # The payload, byte for byte as it was sent; null if it was erased.
    data: Any
    event: str | None
    # Begins with `wh_`.
    id: str
    ordering_key: str | None
    sequence: int
    # As the header `webhook-id` of a pushed delivery.
    webhook_id: str


class ReceiverKey(TypedDict):
    created_at: str
    # Begins with `key_`.
    id: str
    # To the minute; null if the key was never used.
    last_used_at: str | None
    name: str | None


class ReceiverKeyList(TypedDict):
    data: list[ReceiverKey]


class RecentAttempts(TypedDict):
    """Attempts of the last hour, of the 1000 most recently attempted deliveries."""

    attempts: int
    # From the first of these attempts until now.
    attempts_per_second: float
    delivered: int
    deliveries: int
    failed: int
    latency_ms: Latencies
    # delivered / (delivered + failed) × 100; 0 if nothing was delivered or failed.
    success_rate: float


class ReplayedDelivery(TypedDict):
    attempt_count: int
    # Present only if cancelled.
    cancel_reason: NotRequired[CancelReason]
    created_at: str
    # When it is, or was, due.
    deliver_after: NotRequired[str]
    endpoint_id: str
    event: str | None
    # Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.
    failure_reason: NotRequired[str]
    # Begins with `wh_`.
    id: str
    # Present only if the sender gave one.
    ordering_key: NotRequired[str]
    # The id of the original delivery, which receivers get as `webhook-id`.
    replay_of: str
    status: DeliveryStatus


class ResendFilter(TypedDict):
    """Selects deliveries like the filters of `GET /webhooks` with cursors, at most 10,000."""

    # Created at this moment or later (ISO 8601).
    after: NotRequired[str]
    # Created before this moment (ISO 8601).
    before: NotRequired[str]
    # Values of top-level fields of the payload, as texts: `{"order_id": "42"}`.
    data: NotRequired[dict[str, str]]
    endpoint_id: NotRequired[str]
    error: NotRequired[AttemptError]
    event_type: NotRequired[str]
    ordering_key: NotRequired[str]
    response_status: NotRequired[str]
    sequence: NotRequired[int]
    status: EndedStatus


class ResendSelection(TypedDict):
    # True: counts, and starts no job.
    dry_run: NotRequired[bool]
    filter: NotRequired[ResendFilter]
    # The deliveries to resend.
    ids: NotRequired[list[str]]


class Retention(TypedDict):
    # How long changes are kept: HERMOD_AUDIT_RETENTION.
    audit_ms: int
    # How long ended deliveries are kept: HERMOD_RETENTION.
    deliveries_ms: int


class RetriedEndpoint(TypedDict):
    retried: int


class RotatedSecret(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: int
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: str
    created_at: str
    # How deliveries reach the receiver.
    delivery: DeliveryWay
    description: str | None
    # The patterns of `event_types`, separated by commas.
    event_filter: str
    event_types: list[str]
    external_id: str | None
    feed: bool
    # The accounts that its feed reports on, `*` for all; null for its own.
    feed_accounts: list[str] | None
    # The condition in CEL that events must match beside their type.
    filter: str | None
    # The form of the body.
    format: BodyFormat
    # The headers of requests to the endpoint, without the secret ones.
    headers: dict[str, str]
    health: EndpointHealth
    # Begins with `ep_`.
    id: str
    is_active: bool
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: int
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: dict[str, str]
    # What happens when a delivery has used up its schedule.
    on_exhausted: OnExhausted
    # Which deliveries are sent in order, one at a time.
    ordering: Ordering
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: list[int]
    # When the replaced secret stops signing; null if it has stopped.
    previous_secret_expires_at: str | None
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: float | None
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: list[int] | None
    # The names of the secret headers.
    sensitive_headers: list[str]
    # Begins with `whsec_`; shown only this once.
    signing_secret: str
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: int | None
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: bool
    # Null with `delivery: pull`.
    url: str | None
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: WhileInactive


class SchemaCheck(TypedDict):
    # The payloads that the schema would have refused, newest first.
    data: list[SchemaRefusal]
    # At most 100, fewer if they are large or expensive to validate.
    examined: int
    refused: int
    # The parts of the schema that are not checked, such as unknown formats.
    warnings: list[str]


class SchemaRefusal(TypedDict):
    created_at: str
    # The event, `evt_…`, or the webhook, `wh_…`.
    id: str
    # The mismatch of the payload with the schema.
    problem: str


class SchemaVersion(TypedDict):
    created_at: str
    # A JSON Schema, draft 2020-12 or draft 7.
    schema: dict[str, Any] | None
    # Counts from 1.
    version: int


class SchemaVersionList(TypedDict):
    # The latest 20, the newest first.
    data: list[SchemaVersion]


class SecretRotation(TypedDict):
    # How long the replaced secret also signs, in seconds.
    overlap: NotRequired[int | None]
    # A secret that the receiver already has, for example when you migrate to Hermod: `whsec_` and the base64 (with padding) of 24 to 64 random bytes.
    signing_secret: NotRequired[str | None]


class Series(TypedDict):
    from_: str
    # One for each step, at most 1500.
    points: list[SeriesPoint]
    step_seconds: int
    to: str


class SeriesPoint(TypedDict):
    # Deliveries that got a sequence.
    accepted: int
    # The beginning of the step.
    at: str
    attempts: AttemptCounts
    # Pending at the end of the step, without deliveries scheduled for later.
    backlog: int
    # Cancelled while they were pending.
    cancelled: int
    delivered: int
    # Delivered by the first attempt.
    delivered_first: int
    delivery_ms: Percentiles
    failed: int
    receiver_ms: Percentiles


class Stats(TypedDict):
    delivered: int
    endpoints_count: int
    failed: int
    pending: int
    # delivered / (delivered + failed) × 100, with two decimals; 0 if nothing was delivered or failed.
    success_rate: float
    # All stored deliveries, including cancelled ones.
    total_deliveries: int


class StatusCounts(TypedDict):
    cancelled: int
    delivered: int
    failed: int
    pending: int


class Storage(TypedDict):
    # The disk of all tables with their indexes.
    bytes: int
    # The beginning of the oldest time range of deliveries that is kept; null before the first.
    oldest_range_at: str | None
    # The age of the oldest open transaction in the database, which keeps Postgres from reusing space.
    oldest_transaction_ms: int


class StuckOrder(TypedDict):
    head: ListedDelivery
    # Null for the deliveries without a key, and for the one order of an endpoint that is `ordered`.
    ordering_key: str | None
    # The pending deliveries of the order, `head` included.
    pending: int


class StuckOrders(TypedDict):
    # False if the endpoint has more than 10,000 pending deliveries.
    complete: bool
    data: list[StuckOrder]


class System(TypedDict):
    dependencies: Dependencies
    partitions: list[Partition]
    processes: list[Process]
    retention: Retention
    storage: Storage
    # The version of the process that answers.
    version: str


class TestEvent(TypedDict):
    # The payload to send instead of the sample.
    data: NotRequired[Any]
    # Sends the `example` of this event type instead of the sample.
    event: NotRequired[str | None]
    # Signs with a wrong secret, to see that the receiver refuses it.
    forged: NotRequired[bool | None]
    # Groups deliveries, for example by a customer's id.
    ordering_key: NotRequired[str | None]


class TypeCode(TypedDict):
    event_type: str
    # Source code.
    files: list[CodeFile]
    language: CodeLanguage
    # Why no types can be written; null if there are some.
    problem: str | None


class UpdateAccount(TypedDict):
    # Your own id, which must be unique.
    external_id: NotRequired[str | None]
    name: NotRequired[str]
    # The name of a plan.
    plan: NotRequired[str]


class UpdateCell(TypedDict):
    accepts_accounts: bool


class UpdateEndpoint(TypedDict):
    # Most deliveries of one order in a request, 1 by default.
    batch_size: NotRequired[int]
    # The payload's `content-type`: `application/json` (the default) or `application/…+json`.
    content_type: NotRequired[str]
    # How deliveries reach the receiver.
    delivery: NotRequired[DeliveryWay]
    description: NotRequired[str | None]
    # The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them.
    event_filter: NotRequired[str]
    # The same filter as a list; here event types may contain commas.
    event_types: NotRequired[list[str]]
    # Your own id, which must be unique.
    external_id: NotRequired[str | None]
    # True if the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the filter.
    feed: NotRequired[bool]
    # Makes it a feed of the installation, with `feed: true`: it reports on the accounts with these ids, or with `*` on all.
    feed_accounts: NotRequired[list[str] | None]
    # A condition on events in [CEL](https://cel.dev), beside their type: `data.amount > 100 && data.customer == metadata.customer`.
    filter: NotRequired[str | None]
    # The form of the body.
    format: NotRequired[BodyFormat]
    # Headers of every request to the endpoint, from the next attempt on.
    headers: NotRequired[dict[str, str] | None]
    # True if Hermod sends its deliveries.
    is_active: NotRequired[bool]
    # Most deliveries that are sent at the same time, 10 by default.
    max_in_flight: NotRequired[int]
    # Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters.
    metadata: NotRequired[dict[str, str]]
    # What happens when a delivery has used up its schedule.
    on_exhausted: NotRequired[OnExhausted]
    # Which deliveries are sent in order, one at a time.
    ordering: NotRequired[Ordering]
    # HTTP statuses that fail a delivery at once, instead of a retry.
    permanent_statuses: NotRequired[list[int]]
    # Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one.
    rate_limit: NotRequired[float | None]
    # The waits between attempts, in milliseconds, ±10 %.
    retry_schedule_ms: NotRequired[list[int] | None]
    # The names in `headers` whose values are secret: stored encrypted, never shown.
    sensitive_headers: NotRequired[list[str]]
    # Time limit of a whole attempt, in milliseconds.
    timeout_ms: NotRequired[int | None]
    # True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can continue the sender's trace.
    traceparent: NotRequired[bool]
    # Where deliveries are sent: an http or https URL.
    url: NotRequired[str | None]
    # `hold` (the default): events published while it is inactive wait for it as pending, in order.
    while_inactive: NotRequired[WhileInactive]


class UpdateKey(TypedDict):
    is_active: bool


class Usage(TypedDict):
    period: UsagePeriod
    plan: str
    # Null means no limit.
    requests_per_minute: int | None
    webhooks: UsedWebhooks


class UsagePeriod(TypedDict):
    """The calendar month in UTC."""

    # Exclusive.
    end: str
    start: str


class UsedWebhooks(TypedDict):
    # Null means no limit.
    limit: int | None
    # Null means no limit.
    remaining: int | None
    used: int


class WaitingFor(TypedDict):
    """Why the delivery is not sent yet; present only while it is pending."""

    # Present with `receiver` once it has read the delivery.
    acknowledge_by: NotRequired[str]
    ahead: NotRequired[DeliveriesAhead]
    in_front: NotRequired[DeliveryInFront]
    # Present with `max_in_flight`.
    max_in_flight: NotRequired[int]
    # The ordering key of both deliveries; null if they have none.
    ordering_key: NotRequired[str | None]
    # Present with `rate_limit`.
    rate_limit: NotRequired[float]
    # `scheduled`: it was sent with `deliver_after`, and is due at `until`.
    reason: WaitingReason
    # Present with `scheduled`, `retry` and `rest`.
    until: NotRequired[str]


class WebhookResult(TypedDict):
    error: NotRequired[ErrorDetail]
    # The HTTP status that the item would have got in a request of its own.
    status: int
    webhook: NotRequired[AcceptedDelivery]


class WebhookResults(TypedDict):
    # In the order of the items.
    results: list[WebhookResult]


class WebhookSummary(TypedDict):
    # The number of deliveries by their last HTTP status; `0` for no HTTP response.
    answers: dict[str, int]
    # The length of a bar.
    bar_seconds: int
    # The counted deliveries by the time at which they were accepted, oldest first, without gaps.
    bars: list[HistogramBar]
    # False if the second was over too early: older deliveries are not counted.
    complete: bool
    # When the newest counted delivery was accepted.
    newest_at: str | None
    # When the oldest counted delivery was accepted.
    oldest_at: str | None
    statuses: StatusCounts
    total: int
