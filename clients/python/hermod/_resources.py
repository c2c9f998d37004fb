"""The resources of the API, each with its methods."""

# Written by clients/generate.ts from the API document.

from __future__ import annotations

from typing import AsyncIterator, Iterator, Unpack

from . import _types as t
from ._resource import AsyncResource, Resource
from ._transport import AsyncTransport, Transport

class Admin(Resource):
    """Accounts, plans, and lists over all accounts."""

    def list_accounts(self, **query: Unpack[t.ListAccountsQuery]) -> t.AccountPage:
        """List accounts."""
        return self._call("GET", "/v1/admin/accounts", query=query)

    def all_accounts(self, **query: Unpack[t.ListAccountsQuery]) -> Iterator[t.Account]:
        """Reads all pages of `list_accounts`, each when it is needed."""
        return self._items("/v1/admin/accounts", [], query)

    def create_account(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateAccount]) -> t.Account:
        """Create an account."""
        return self._call("POST", "/v1/admin/accounts", body=body, idempotency_key=idempotency_key)

    def get_account(self, id: str) -> t.Account:
        """Get an account."""
        return self._call("GET", "/v1/admin/accounts/{id}", [id])

    def update_account(self, id: str, **body: Unpack[t.UpdateAccount]) -> t.Account:
        """Change an account."""
        return self._call("PATCH", "/v1/admin/accounts/{id}", [id], body=body)

    def put_account(self, external_id: str, **body: Unpack[t.AccountUpsert]) -> t.Account:
        """Create or change an account by its external id."""
        return self._call("PUT", "/v1/admin/accounts/{id}", [f"~{external_id}"], body=body)

    def list_account_keys(self, id: str) -> t.KeyList:
        """List an account's keys."""
        return self._call("GET", "/v1/admin/accounts/{id}/keys", [id])

    def create_account_key(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateKey]) -> t.CreatedKey:
        """Create a key for an account."""
        return self._call("POST", "/v1/admin/accounts/{id}/keys", [id], body=body, idempotency_key=idempotency_key)

    def list_audit(self, **query: Unpack[t.ListAuditQuery]) -> t.AuditPage:
        """List the changes in all accounts."""
        return self._call("GET", "/v1/admin/audit", query=query)

    def all_audit(self, **query: Unpack[t.ListAuditQuery]) -> Iterator[t.AuditEntry]:
        """Reads all pages of `list_audit`, each when it is needed."""
        return self._items("/v1/admin/audit", [], query)

    def import_catalogue(self, *, idempotency_key: str | None = None, **body: Unpack[t.CatalogueImport]) -> t.CatalogueImportResult:
        """Import event types for all accounts from a document."""
        return self._call("POST", "/v1/admin/catalogue/import", body=body, idempotency_key=idempotency_key)

    def list_cells(self) -> t.CellList:
        """List the cells."""
        return self._call("GET", "/v1/admin/cells")

    def update_cell(self, name: str, **body: Unpack[t.UpdateCell]) -> t.Cell:
        """Let a cell accept new accounts, or not."""
        return self._call("PATCH", "/v1/admin/cells/{name}", [name], body=body)

    def list_deliveries(self, **query: Unpack[t.ListAllDeliveriesQuery]) -> t.AccountDeliveryPage:
        """List deliveries of all accounts."""
        return self._call("GET", "/v1/admin/deliveries", query=query)

    def all_deliveries(self, **query: Unpack[t.ListAllDeliveriesQuery]) -> Iterator[t.AccountDelivery]:
        """Reads all pages of `list_deliveries`, each when it is needed."""
        return self._items("/v1/admin/deliveries", [], query)

    def list_endpoints(self, **query: Unpack[t.ListAllEndpointsQuery]) -> t.AccountEndpointPage:
        """List endpoints of all accounts."""
        return self._call("GET", "/v1/admin/endpoints", query=query)

    def all_endpoints(self, **query: Unpack[t.ListAllEndpointsQuery]) -> Iterator[t.AccountEndpoint]:
        """Reads all pages of `list_endpoints`, each when it is needed."""
        return self._items("/v1/admin/endpoints", [], query)

    def list_event_types(self, **query: Unpack[t.ListInstallationEventTypesQuery]) -> t.EventTypePage:
        """List the installation's event types."""
        return self._call("GET", "/v1/admin/event-types", query=query)

    def all_event_types(self, **query: Unpack[t.ListInstallationEventTypesQuery]) -> Iterator[t.EventType]:
        """Reads all pages of `list_event_types`, each when it is needed."""
        return self._items("/v1/admin/event-types", [], query)

    def get_event_type(self, name: str) -> t.EventType:
        """Get an event type of the installation."""
        return self._call("GET", "/v1/admin/event-types/{name}", [name])

    def put_event_type(self, name: str, **body: Unpack[t.EventTypeDescription]) -> t.EventType:
        """Describe an event type for all accounts."""
        return self._call("PUT", "/v1/admin/event-types/{name}", [name], body=body)

    def delete_schema(self, name: str) -> t.Deleted:
        """Remove an event type's schema for all accounts."""
        return self._call("DELETE", "/v1/admin/event-types/{name}/schema", [name])

    def put_schema(self, name: str, **body: Unpack[t.CreateSchema]) -> t.EventTypeWithSchema:
        """Set an event type's schema for all accounts."""
        return self._call("PUT", "/v1/admin/event-types/{name}/schema", [name], body=body)

    def list_events(self, **query: Unpack[t.ListAllEventsQuery]) -> t.AccountEventPage:
        """List events of all accounts."""
        return self._call("GET", "/v1/admin/events", query=query)

    def all_events(self, **query: Unpack[t.ListAllEventsQuery]) -> Iterator[t.AccountEvent]:
        """Reads all pages of `list_events`, each when it is needed."""
        return self._items("/v1/admin/events", [], query)

    def delete_key(self, id: str) -> t.Deleted:
        """Revoke a key of any account."""
        return self._call("DELETE", "/v1/admin/keys/{id}", [id])

    def list_plans(self) -> t.PlanList:
        """List plans."""
        return self._call("GET", "/v1/admin/plans")

    def put_plan(self, name: str, **body: Unpack[t.PlanLimits]) -> t.Plan:
        """Create or change a plan."""
        return self._call("PUT", "/v1/admin/plans/{name}", [name], body=body)

    def stats_series(self, **query: Unpack[t.GetAllStatsSeriesQuery]) -> t.Series:
        """Get figures over time of all accounts."""
        return self._call("GET", "/v1/admin/stats/series", query=query)

    def system(self) -> t.System:
        """Show the processes and partitions of the installation."""
        return self._call("GET", "/v1/admin/system")


class EventTypes(Resource):
    """The event types in use, and the schemas their payloads must match."""

    def export_async_api(self) -> t.CatalogueDocument:
        """Export the catalogue as AsyncAPI."""
        return self._call("GET", "/v1/catalogue/asyncapi")

    def import_catalogue(self, *, idempotency_key: str | None = None, **body: Unpack[t.CatalogueImport]) -> t.CatalogueImportResult:
        """Import event types from a document."""
        return self._call("POST", "/v1/catalogue/import", body=body, idempotency_key=idempotency_key)

    def export_open_api(self) -> t.CatalogueDocument:
        """Export the catalogue as OpenAPI."""
        return self._call("GET", "/v1/catalogue/openapi")

    def list(self, **query: Unpack[t.ListEventTypesQuery]) -> t.EventTypePage:
        """List event types."""
        return self._call("GET", "/v1/event-types", query=query)

    def all(self, **query: Unpack[t.ListEventTypesQuery]) -> Iterator[t.EventType]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/event-types", [], query)

    def get(self, name: str) -> t.EventType:
        """Get an event type."""
        return self._call("GET", "/v1/event-types/{name}", [name])

    def put(self, name: str, **body: Unpack[t.EventTypeDescription]) -> t.EventType:
        """Describe an event type."""
        return self._call("PUT", "/v1/event-types/{name}", [name], body=body)

    def code(self, name: str, **query: Unpack[t.GetEventTypeCodeQuery]) -> t.TypeCode:
        """Write types for an event type's payload."""
        return self._call("GET", "/v1/event-types/{name}/code", [name], query=query)

    def delete_schema(self, name: str) -> t.Deleted:
        """Remove an event type's schema."""
        return self._call("DELETE", "/v1/event-types/{name}/schema", [name])

    def put_schema(self, name: str, **body: Unpack[t.CreateSchema]) -> t.EventTypeWithSchema:
        """Set an event type's schema."""
        return self._call("PUT", "/v1/event-types/{name}/schema", [name], body=body)

    def check_schema(self, name: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateSchema]) -> t.SchemaCheck:
        """Try a schema on kept payloads."""
        return self._call("POST", "/v1/event-types/{name}/schema/check", [name], body=body, idempotency_key=idempotency_key)

    def list_schema_versions(self, name: str) -> t.SchemaVersionList:
        """List the versions of an event type's schema."""
        return self._call("GET", "/v1/event-types/{name}/schema/versions", [name])


class Endpoints(Resource):
    """The receivers of webhooks."""

    def list(self, **query: Unpack[t.ListEndpointsQuery]) -> t.EndpointPage:
        """List endpoints."""
        return self._call("GET", "/v1/endpoints", query=query)

    def all(self, **query: Unpack[t.ListEndpointsQuery]) -> Iterator[t.Endpoint]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/endpoints", [], query)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEndpoint]) -> t.CreatedEndpoint:
        """Register an endpoint."""
        return self._call("POST", "/v1/endpoints", body=body, idempotency_key=idempotency_key)

    def check_url(self, *, idempotency_key: str | None = None, **body: Unpack[t.CheckedAddress]) -> t.AddressVerdict:
        """Check a URL before an endpoint has it."""
        return self._call("POST", "/v1/endpoints/check-url", body=body, idempotency_key=idempotency_key)

    def delete(self, id: str) -> t.Deleted:
        """Delete an endpoint."""
        return self._call("DELETE", "/v1/endpoints/{id}", [id])

    def get(self, id: str) -> t.Endpoint:
        """Get an endpoint."""
        return self._call("GET", "/v1/endpoints/{id}", [id])

    def update(self, id: str, **body: Unpack[t.UpdateEndpoint]) -> t.Endpoint:
        """Change an endpoint."""
        return self._call("PATCH", "/v1/endpoints/{id}", [id], body=body)

    def put(self, external_id: str, *, idempotency_key: str | None = None, **body: Unpack[t.EndpointUpsert]) -> t.CreatedEndpoint:
        """Create or change an endpoint by its external id."""
        return self._call("PUT", "/v1/endpoints/{id}", [f"~{external_id}"], body=body, idempotency_key=idempotency_key)

    def certify(self, id: str, *, idempotency_key: str | None = None) -> t.Certification:
        """Certify a receiver."""
        return self._call("POST", "/v1/endpoints/{id}/certify", [id], idempotency_key=idempotency_key)

    def test_filter(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.FilterTest]) -> t.FilterTestResult:
        """Try a filter on kept events."""
        return self._call("POST", "/v1/endpoints/{id}/filter/test", [id], body=body, idempotency_key=idempotency_key)

    def log(self, id: str, **query: Unpack[t.GetEndpointLogQuery]) -> t.EndpointLog:
        """Read an endpoint's numbers, and what became of each."""
        return self._call("GET", "/v1/endpoints/{id}/log", [id], query=query)

    def queue(self, id: str, **query: Unpack[t.GetEndpointQueueQuery]) -> t.QueuePage:
        """List an endpoint's pending deliveries, in order."""
        return self._call("GET", "/v1/endpoints/{id}/queue", [id], query=query)

    def receive(self, id: str, **body: Unpack[t.Receive]) -> t.ReceivedPage:
        """Read and acknowledge an endpoint's deliveries."""
        return self._call("POST", "/v1/endpoints/{id}/receive", [id], body=body)

    def list_receiver_keys(self, id: str) -> t.ReceiverKeyList:
        """List an endpoint's receiver keys."""
        return self._call("GET", "/v1/endpoints/{id}/receiver-keys", [id])

    def create_receiver_key(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateReceiverKey]) -> t.CreatedReceiverKey:
        """Create a receiver key."""
        return self._call("POST", "/v1/endpoints/{id}/receiver-keys", [id], body=body, idempotency_key=idempotency_key)

    def delete_receiver_key(self, id: str, key_id: str) -> t.Deleted:
        """Revoke a receiver key."""
        return self._call("DELETE", "/v1/endpoints/{id}/receiver-keys/{key_id}", [id, key_id])

    def retry(self, id: str, *, idempotency_key: str | None = None) -> t.RetriedEndpoint:
        """Attempt deliveries that wait for a retry now."""
        return self._call("POST", "/v1/endpoints/{id}/retry", [id], idempotency_key=idempotency_key)

    def rotate_secret(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.SecretRotation]) -> t.RotatedSecret:
        """Rotate an endpoint's signing secret."""
        return self._call("POST", "/v1/endpoints/{id}/rotate-secret", [id], body=body, idempotency_key=idempotency_key)

    def stats(self, id: str) -> t.EndpointStats:
        """Get an endpoint's statistics."""
        return self._call("GET", "/v1/endpoints/{id}/stats", [id])

    def stats_series(self, id: str, **query: Unpack[t.GetEndpointStatsSeriesQuery]) -> t.Series:
        """Get an endpoint's figures over time."""
        return self._call("GET", "/v1/endpoints/{id}/stats/series", [id], query=query)

    def list_stuck_orders(self, id: str, **query: Unpack[t.ListStuckOrdersQuery]) -> t.StuckOrders:
        """List the orders whose first delivery is retried."""
        return self._call("GET", "/v1/endpoints/{id}/stuck-orders", [id], query=query)

    def test(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.TestEvent]) -> t.AcceptedDelivery:
        """Send a test event."""
        return self._call("POST", "/v1/endpoints/{id}/test", [id], body=body, idempotency_key=idempotency_key)


class Jobs(Resource):
    """Replay or erase many deliveries in the background."""

    def replay(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateReplay]) -> t.Job:
        """Replay an endpoint's deliveries."""
        return self._call("POST", "/v1/endpoints/{id}/replay", [id], body=body, idempotency_key=idempotency_key)

    def erase(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateErasure]) -> t.Job:
        """Erase the payloads of many deliveries."""
        return self._call("POST", "/v1/erasures", body=body, idempotency_key=idempotency_key)

    def list(self, **query: Unpack[t.ListJobsQuery]) -> t.JobPage:
        """List jobs."""
        return self._call("GET", "/v1/jobs", query=query)

    def all(self, **query: Unpack[t.ListJobsQuery]) -> Iterator[t.Job]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/jobs", [], query)

    def get(self, id: str) -> t.Job:
        """Get a job."""
        return self._call("GET", "/v1/jobs/{id}", [id])

    def cancel(self, id: str, *, idempotency_key: str | None = None) -> t.Job:
        """Cancel a running job."""
        return self._call("POST", "/v1/jobs/{id}/cancel", [id], idempotency_key=idempotency_key)


class Events(Resource):
    """Send events to every endpoint that wants them, and see who got them and who did not."""

    def list(self, **query: Unpack[t.ListEventsQuery]) -> t.EventPage:
        """List events."""
        return self._call("GET", "/v1/events", query=query)

    def all(self, **query: Unpack[t.ListEventsQuery]) -> Iterator[t.Event]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/events", [], query)

    def publish(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEvent]) -> t.PublishedEvent:
        """Send an event to every endpoint that wants it."""
        return self._call("POST", "/v1/events", body=body, idempotency_key=idempotency_key)

    def publish_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEvents]) -> t.EventResults:
        """Send many events to every endpoint that wants them."""
        return self._call("POST", "/v1/events/batch", body=body, idempotency_key=idempotency_key)

    def get(self, id: str) -> t.EventDetail:
        """Get an event."""
        return self._call("GET", "/v1/events/{id}", [id])

    def list_deliveries(self, id: str, **query: Unpack[t.ListEventDeliveriesQuery]) -> t.EventDeliveries:
        """List an event's deliveries."""
        return self._call("GET", "/v1/events/{id}/deliveries", [id], query=query)

    def all_deliveries(self, id: str, **query: Unpack[t.ListEventDeliveriesQuery]) -> Iterator[t.Delivery]:
        """Reads all pages of `list_deliveries`, each when it is needed."""
        return self._items("/v1/events/{id}/deliveries", [id], query)

    def list_missed_endpoints(self, id: str, **query: Unpack[t.ListMissedEndpointsQuery]) -> t.MissedEventPage:
        """List the endpoints that did not get an event."""
        return self._call("GET", "/v1/events/{id}/missed", [id], query=query)

    def all_missed_endpoints(self, id: str, **query: Unpack[t.ListMissedEndpointsQuery]) -> Iterator[t.MissedEvent]:
        """Reads all pages of `list_missed_endpoints`, each when it is needed."""
        return self._items("/v1/events/{id}/missed", [id], query)

    def erase_payload(self, id: str) -> t.ErasedPayload:
        """Erase an event's payload."""
        return self._call("DELETE", "/v1/events/{id}/payload", [id])


class Keys(Resource):
    def list(self) -> t.KeyList:
        """List the account's keys."""
        return self._call("GET", "/v1/keys")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateKey]) -> t.CreatedKey:
        """Create a key."""
        return self._call("POST", "/v1/keys", body=body, idempotency_key=idempotency_key)

    def delete(self, id: str) -> t.Deleted:
        """Revoke a key."""
        return self._call("DELETE", "/v1/keys/{id}", [id])

    def update(self, id: str, **body: Unpack[t.UpdateKey]) -> t.Key:
        """Enable or disable a key."""
        return self._call("PATCH", "/v1/keys/{id}", [id], body=body)


class Webhooks(Resource):
    """Send webhooks, and see how their delivery went."""

    def list(self, **query: Unpack[t.ListWebhooksQuery]) -> t.DeliveryListing:
        """List deliveries."""
        return self._call("GET", "/v1/webhooks", query=query)

    def all(self, **query: Unpack[t.ListWebhooksQuery]) -> Iterator[t.ListedDelivery]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/webhooks", [], query)

    def send(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateWebhook]) -> t.AcceptedDelivery:
        """Send a webhook."""
        return self._call("POST", "/v1/webhooks", body=body, idempotency_key=idempotency_key)

    def send_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateWebhooks]) -> t.WebhookResults:
        """Send many webhooks."""
        return self._call("POST", "/v1/webhooks/batch", body=body, idempotency_key=idempotency_key)

    def resend_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.ResendSelection]) -> t.Job:
        """Resend many deliveries."""
        return self._call("POST", "/v1/webhooks/resend", body=body, idempotency_key=idempotency_key)

    def summary(self, **query: Unpack[t.SummarizeWebhooksQuery]) -> t.WebhookSummary:
        """Count deliveries by status and answer."""
        return self._call("GET", "/v1/webhooks/summary", query=query)

    def get(self, id: str) -> t.DeliveryDetail:
        """Get a delivery."""
        return self._call("GET", "/v1/webhooks/{id}", [id])

    def cancel(self, id: str, *, idempotency_key: str | None = None) -> t.Delivery:
        """Cancel a pending delivery."""
        return self._call("POST", "/v1/webhooks/{id}/cancel", [id], idempotency_key=idempotency_key)

    def erase_payload(self, id: str) -> t.ErasedPayload:
        """Erase a delivery's payload."""
        return self._call("DELETE", "/v1/webhooks/{id}/payload", [id])

    def resend(self, id: str, *, idempotency_key: str | None = None) -> t.ReplayedDelivery:
        """Resend a delivery."""
        return self._call("POST", "/v1/webhooks/{id}/resend", [id], idempotency_key=idempotency_key)

    def retry(self, id: str, *, idempotency_key: str | None = None) -> t.Delivery:
        """Attempt a waiting delivery now."""
        return self._call("POST", "/v1/webhooks/{id}/retry", [id], idempotency_key=idempotency_key)


class Methods(Resource):
    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.admin = Admin(transport)
        self.event_types = EventTypes(transport)
        self.endpoints = Endpoints(transport)
        self.jobs = Jobs(transport)
        self.events = Events(transport)
        self.keys = Keys(transport)
        self.webhooks = Webhooks(transport)

    def list_activity(self, **query: Unpack[t.ListActivityQuery]) -> t.AuditPage:
        """List the changes in the account."""
        return self._call("GET", "/v1/activity", query=query)

    def all_activity(self, **query: Unpack[t.ListActivityQuery]) -> Iterator[t.AuditEntry]:
        """Reads all pages of `list_activity`, each when it is needed."""
        return self._items("/v1/activity", [], query)

    def backlog(self, **query: Unpack[t.GetBacklogQuery]) -> t.BacklogPage:
        """List endpoints with pending deliveries."""
        return self._call("GET", "/v1/backlog", query=query)

    def usage(self) -> t.Usage:
        """Get the current month's usage."""
        return self._call("GET", "/v1/billing/usage")

    def me(self) -> t.Me:
        """Show the account and the key of the request."""
        return self._call("GET", "/v1/me")

    def create_portal_session(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreatePortalSession]) -> t.PortalLink:
        """Make a link to the customer portal."""
        return self._call("POST", "/v1/portal-sessions", body=body, idempotency_key=idempotency_key)

    def stats(self) -> t.Stats:
        """Get the account's statistics."""
        return self._call("GET", "/v1/stats")

    def stats_series(self, **query: Unpack[t.GetStatsSeriesQuery]) -> t.Series:
        """Get the account's figures over time."""
        return self._call("GET", "/v1/stats/series", query=query)


class AsyncAdmin(AsyncResource):
    """Accounts, plans, and lists over all accounts."""

    async def list_accounts(self, **query: Unpack[t.ListAccountsQuery]) -> t.AccountPage:
        """List accounts."""
        return await self._call("GET", "/v1/admin/accounts", query=query)

    def all_accounts(self, **query: Unpack[t.ListAccountsQuery]) -> AsyncIterator[t.Account]:
        """Reads all pages of `list_accounts`, each when it is needed."""
        return self._items("/v1/admin/accounts", [], query)

    async def create_account(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateAccount]) -> t.Account:
        """Create an account."""
        return await self._call("POST", "/v1/admin/accounts", body=body, idempotency_key=idempotency_key)

    async def get_account(self, id: str) -> t.Account:
        """Get an account."""
        return await self._call("GET", "/v1/admin/accounts/{id}", [id])

    async def update_account(self, id: str, **body: Unpack[t.UpdateAccount]) -> t.Account:
        """Change an account."""
        return await self._call("PATCH", "/v1/admin/accounts/{id}", [id], body=body)

    async def put_account(self, external_id: str, **body: Unpack[t.AccountUpsert]) -> t.Account:
        """Create or change an account by its external id."""
        return await self._call("PUT", "/v1/admin/accounts/{id}", [f"~{external_id}"], body=body)

    async def list_account_keys(self, id: str) -> t.KeyList:
        """List an account's keys."""
        return await self._call("GET", "/v1/admin/accounts/{id}/keys", [id])

    async def create_account_key(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateKey]) -> t.CreatedKey:
        """Create a key for an account."""
        return await self._call("POST", "/v1/admin/accounts/{id}/keys", [id], body=body, idempotency_key=idempotency_key)

    async def list_audit(self, **query: Unpack[t.ListAuditQuery]) -> t.AuditPage:
        """List the changes in all accounts."""
        return await self._call("GET", "/v1/admin/audit", query=query)

    def all_audit(self, **query: Unpack[t.ListAuditQuery]) -> AsyncIterator[t.AuditEntry]:
        """Reads all pages of `list_audit`, each when it is needed."""
        return self._items("/v1/admin/audit", [], query)

    async def import_catalogue(self, *, idempotency_key: str | None = None, **body: Unpack[t.CatalogueImport]) -> t.CatalogueImportResult:
        """Import event types for all accounts from a document."""
        return await self._call("POST", "/v1/admin/catalogue/import", body=body, idempotency_key=idempotency_key)

    async def list_cells(self) -> t.CellList:
        """List the cells."""
        return await self._call("GET", "/v1/admin/cells")

    async def update_cell(self, name: str, **body: Unpack[t.UpdateCell]) -> t.Cell:
        """Let a cell accept new accounts, or not."""
        return await self._call("PATCH", "/v1/admin/cells/{name}", [name], body=body)

    async def list_deliveries(self, **query: Unpack[t.ListAllDeliveriesQuery]) -> t.AccountDeliveryPage:
        """List deliveries of all accounts."""
        return await self._call("GET", "/v1/admin/deliveries", query=query)

    def all_deliveries(self, **query: Unpack[t.ListAllDeliveriesQuery]) -> AsyncIterator[t.AccountDelivery]:
        """Reads all pages of `list_deliveries`, each when it is needed."""
        return self._items("/v1/admin/deliveries", [], query)

    async def list_endpoints(self, **query: Unpack[t.ListAllEndpointsQuery]) -> t.AccountEndpointPage:
        """List endpoints of all accounts."""
        return await self._call("GET", "/v1/admin/endpoints", query=query)

    def all_endpoints(self, **query: Unpack[t.ListAllEndpointsQuery]) -> AsyncIterator[t.AccountEndpoint]:
        """Reads all pages of `list_endpoints`, each when it is needed."""
        return self._items("/v1/admin/endpoints", [], query)

    async def list_event_types(self, **query: Unpack[t.ListInstallationEventTypesQuery]) -> t.EventTypePage:
        """List the installation's event types."""
        return await self._call("GET", "/v1/admin/event-types", query=query)

    def all_event_types(self, **query: Unpack[t.ListInstallationEventTypesQuery]) -> AsyncIterator[t.EventType]:
        """Reads all pages of `list_event_types`, each when it is needed."""
        return self._items("/v1/admin/event-types", [], query)

    async def get_event_type(self, name: str) -> t.EventType:
        """Get an event type of the installation."""
        return await self._call("GET", "/v1/admin/event-types/{name}", [name])

    async def put_event_type(self, name: str, **body: Unpack[t.EventTypeDescription]) -> t.EventType:
        """Describe an event type for all accounts."""
        return await self._call("PUT", "/v1/admin/event-types/{name}", [name], body=body)

    async def delete_schema(self, name: str) -> t.Deleted:
        """Remove an event type's schema for all accounts."""
        return await self._call("DELETE", "/v1/admin/event-types/{name}/schema", [name])

    async def put_schema(self, name: str, **body: Unpack[t.CreateSchema]) -> t.EventTypeWithSchema:
        """Set an event type's schema for all accounts."""
        return await self._call("PUT", "/v1/admin/event-types/{name}/schema", [name], body=body)

    async def list_events(self, **query: Unpack[t.ListAllEventsQuery]) -> t.AccountEventPage:
        """List events of all accounts."""
        return await self._call("GET", "/v1/admin/events", query=query)

    def all_events(self, **query: Unpack[t.ListAllEventsQuery]) -> AsyncIterator[t.AccountEvent]:
        """Reads all pages of `list_events`, each when it is needed."""
        return self._items("/v1/admin/events", [], query)

    async def delete_key(self, id: str) -> t.Deleted:
        """Revoke a key of any account."""
        return await self._call("DELETE", "/v1/admin/keys/{id}", [id])

    async def list_plans(self) -> t.PlanList:
        """List plans."""
        return await self._call("GET", "/v1/admin/plans")

    async def put_plan(self, name: str, **body: Unpack[t.PlanLimits]) -> t.Plan:
        """Create or change a plan."""
        return await self._call("PUT", "/v1/admin/plans/{name}", [name], body=body)

    async def stats_series(self, **query: Unpack[t.GetAllStatsSeriesQuery]) -> t.Series:
        """Get figures over time of all accounts."""
        return await self._call("GET", "/v1/admin/stats/series", query=query)

    async def system(self) -> t.System:
        """Show the processes and partitions of the installation."""
        return await self._call("GET", "/v1/admin/system")


class AsyncEventTypes(AsyncResource):
    """The event types in use, and the schemas their payloads must match."""

    async def export_async_api(self) -> t.CatalogueDocument:
        """Export the catalogue as AsyncAPI."""
        return await self._call("GET", "/v1/catalogue/asyncapi")

    async def import_catalogue(self, *, idempotency_key: str | None = None, **body: Unpack[t.CatalogueImport]) -> t.CatalogueImportResult:
        """Import event types from a document."""
        return await self._call("POST", "/v1/catalogue/import", body=body, idempotency_key=idempotency_key)

    async def export_open_api(self) -> t.CatalogueDocument:
        """Export the catalogue as OpenAPI."""
        return await self._call("GET", "/v1/catalogue/openapi")

    async def list(self, **query: Unpack[t.ListEventTypesQuery]) -> t.EventTypePage:
        """List event types."""
        return await self._call("GET", "/v1/event-types", query=query)

    def all(self, **query: Unpack[t.ListEventTypesQuery]) -> AsyncIterator[t.EventType]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/event-types", [], query)

    async def get(self, name: str) -> t.EventType:
        """Get an event type."""
        return await self._call("GET", "/v1/event-types/{name}", [name])

    async def put(self, name: str, **body: Unpack[t.EventTypeDescription]) -> t.EventType:
        """Describe an event type."""
        return await self._call("PUT", "/v1/event-types/{name}", [name], body=body)

    async def code(self, name: str, **query: Unpack[t.GetEventTypeCodeQuery]) -> t.TypeCode:
        """Write types for an event type's payload."""
        return await self._call("GET", "/v1/event-types/{name}/code", [name], query=query)

    async def delete_schema(self, name: str) -> t.Deleted:
        """Remove an event type's schema."""
        return await self._call("DELETE", "/v1/event-types/{name}/schema", [name])

    async def put_schema(self, name: str, **body: Unpack[t.CreateSchema]) -> t.EventTypeWithSchema:
        """Set an event type's schema."""
        return await self._call("PUT", "/v1/event-types/{name}/schema", [name], body=body)

    async def check_schema(self, name: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateSchema]) -> t.SchemaCheck:
        """Try a schema on kept payloads."""
        return await self._call("POST", "/v1/event-types/{name}/schema/check", [name], body=body, idempotency_key=idempotency_key)

    async def list_schema_versions(self, name: str) -> t.SchemaVersionList:
        """List the versions of an event type's schema."""
        return await self._call("GET", "/v1/event-types/{name}/schema/versions", [name])


class AsyncEndpoints(AsyncResource):
    """The receivers of webhooks."""

    async def list(self, **query: Unpack[t.ListEndpointsQuery]) -> t.EndpointPage:
        """List endpoints."""
        return await self._call("GET", "/v1/endpoints", query=query)

    def all(self, **query: Unpack[t.ListEndpointsQuery]) -> AsyncIterator[t.Endpoint]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/endpoints", [], query)

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEndpoint]) -> t.CreatedEndpoint:
        """Register an endpoint."""
        return await self._call("POST", "/v1/endpoints", body=body, idempotency_key=idempotency_key)

    async def check_url(self, *, idempotency_key: str | None = None, **body: Unpack[t.CheckedAddress]) -> t.AddressVerdict:
        """Check a URL before an endpoint has it."""
        return await self._call("POST", "/v1/endpoints/check-url", body=body, idempotency_key=idempotency_key)

    async def delete(self, id: str) -> t.Deleted:
        """Delete an endpoint."""
        return await self._call("DELETE", "/v1/endpoints/{id}", [id])

    async def get(self, id: str) -> t.Endpoint:
        """Get an endpoint."""
        return await self._call("GET", "/v1/endpoints/{id}", [id])

    async def update(self, id: str, **body: Unpack[t.UpdateEndpoint]) -> t.Endpoint:
        """Change an endpoint."""
        return await self._call("PATCH", "/v1/endpoints/{id}", [id], body=body)

    async def put(self, external_id: str, *, idempotency_key: str | None = None, **body: Unpack[t.EndpointUpsert]) -> t.CreatedEndpoint:
        """Create or change an endpoint by its external id."""
        return await self._call("PUT", "/v1/endpoints/{id}", [f"~{external_id}"], body=body, idempotency_key=idempotency_key)

    async def certify(self, id: str, *, idempotency_key: str | None = None) -> t.Certification:
        """Certify a receiver."""
        return await self._call("POST", "/v1/endpoints/{id}/certify", [id], idempotency_key=idempotency_key)

    async def test_filter(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.FilterTest]) -> t.FilterTestResult:
        """Try a filter on kept events."""
        return await self._call("POST", "/v1/endpoints/{id}/filter/test", [id], body=body, idempotency_key=idempotency_key)

    async def log(self, id: str, **query: Unpack[t.GetEndpointLogQuery]) -> t.EndpointLog:
        """Read an endpoint's numbers, and what became of each."""
        return await self._call("GET", "/v1/endpoints/{id}/log", [id], query=query)

    async def queue(self, id: str, **query: Unpack[t.GetEndpointQueueQuery]) -> t.QueuePage:
        """List an endpoint's pending deliveries, in order."""
        return await self._call("GET", "/v1/endpoints/{id}/queue", [id], query=query)

    async def receive(self, id: str, **body: Unpack[t.Receive]) -> t.ReceivedPage:
        """Read and acknowledge an endpoint's deliveries."""
        return await self._call("POST", "/v1/endpoints/{id}/receive", [id], body=body)

    async def list_receiver_keys(self, id: str) -> t.ReceiverKeyList:
        """List an endpoint's receiver keys."""
        return await self._call("GET", "/v1/endpoints/{id}/receiver-keys", [id])

    async def create_receiver_key(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateReceiverKey]) -> t.CreatedReceiverKey:
        """Create a receiver key."""
        return await self._call("POST", "/v1/endpoints/{id}/receiver-keys", [id], body=body, idempotency_key=idempotency_key)

    async def delete_receiver_key(self, id: str, key_id: str) -> t.Deleted:
        """Revoke a receiver key."""
        return await self._call("DELETE", "/v1/endpoints/{id}/receiver-keys/{key_id}", [id, key_id])

    async def retry(self, id: str, *, idempotency_key: str | None = None) -> t.RetriedEndpoint:
        """Attempt deliveries that wait for a retry now."""
        return await self._call("POST", "/v1/endpoints/{id}/retry", [id], idempotency_key=idempotency_key)

    async def rotate_secret(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.SecretRotation]) -> t.RotatedSecret:
        """Rotate an endpoint's signing secret."""
        return await self._call("POST", "/v1/endpoints/{id}/rotate-secret", [id], body=body, idempotency_key=idempotency_key)

    async def stats(self, id: str) -> t.EndpointStats:
        """Get an endpoint's statistics."""
        return await self._call("GET", "/v1/endpoints/{id}/stats", [id])

    async def stats_series(self, id: str, **query: Unpack[t.GetEndpointStatsSeriesQuery]) -> t.Series:
        """Get an endpoint's figures over time."""
        return await self._call("GET", "/v1/endpoints/{id}/stats/series", [id], query=query)

    async def list_stuck_orders(self, id: str, **query: Unpack[t.ListStuckOrdersQuery]) -> t.StuckOrders:
        """List the orders whose first delivery is retried."""
        return await self._call("GET", "/v1/endpoints/{id}/stuck-orders", [id], query=query)

    async def test(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.TestEvent]) -> t.AcceptedDelivery:
        """Send a test event."""
        return await self._call("POST", "/v1/endpoints/{id}/test", [id], body=body, idempotency_key=idempotency_key)


class AsyncJobs(AsyncResource):
    """Replay or erase many deliveries in the background."""

    async def replay(self, id: str, *, idempotency_key: str | None = None, **body: Unpack[t.CreateReplay]) -> t.Job:
        """Replay an endpoint's deliveries."""
        return await self._call("POST", "/v1/endpoints/{id}/replay", [id], body=body, idempotency_key=idempotency_key)

    async def erase(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateErasure]) -> t.Job:
        """Erase the payloads of many deliveries."""
        return await self._call("POST", "/v1/erasures", body=body, idempotency_key=idempotency_key)

    async def list(self, **query: Unpack[t.ListJobsQuery]) -> t.JobPage:
        """List jobs."""
        return await self._call("GET", "/v1/jobs", query=query)

    def all(self, **query: Unpack[t.ListJobsQuery]) -> AsyncIterator[t.Job]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/jobs", [], query)

    async def get(self, id: str) -> t.Job:
        """Get a job."""
        return await self._call("GET", "/v1/jobs/{id}", [id])

    async def cancel(self, id: str, *, idempotency_key: str | None = None) -> t.Job:
        """Cancel a running job."""
        return await self._call("POST", "/v1/jobs/{id}/cancel", [id], idempotency_key=idempotency_key)


class AsyncEvents(AsyncResource):
    """Send events to every endpoint that wants them, and see who got them and who did not."""

    async def list(self, **query: Unpack[t.ListEventsQuery]) -> t.EventPage:
        """List events."""
        return await self._call("GET", "/v1/events", query=query)

    def all(self, **query: Unpack[t.ListEventsQuery]) -> AsyncIterator[t.Event]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/events", [], query)

    async def publish(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEvent]) -> t.PublishedEvent:
        """Send an event to every endpoint that wants it."""
        return await self._call("POST", "/v1/events", body=body, idempotency_key=idempotency_key)

    async def publish_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateEvents]) -> t.EventResults:
        """Send many events to every endpoint that wants them."""
        return await self._call("POST", "/v1/events/batch", body=body, idempotency_key=idempotency_key)

    async def get(self, id: str) -> t.EventDetail:
        """Get an event."""
        return await self._call("GET", "/v1/events/{id}", [id])

    async def list_deliveries(self, id: str, **query: Unpack[t.ListEventDeliveriesQuery]) -> t.EventDeliveries:
        """List an event's deliveries."""
        return await self._call("GET", "/v1/events/{id}/deliveries", [id], query=query)

    def all_deliveries(self, id: str, **query: Unpack[t.ListEventDeliveriesQuery]) -> AsyncIterator[t.Delivery]:
        """Reads all pages of `list_deliveries`, each when it is needed."""
        return self._items("/v1/events/{id}/deliveries", [id], query)

    async def list_missed_endpoints(self, id: str, **query: Unpack[t.ListMissedEndpointsQuery]) -> t.MissedEventPage:
        """List the endpoints that did not get an event."""
        return await self._call("GET", "/v1/events/{id}/missed", [id], query=query)

    def all_missed_endpoints(self, id: str, **query: Unpack[t.ListMissedEndpointsQuery]) -> AsyncIterator[t.MissedEvent]:
        """Reads all pages of `list_missed_endpoints`, each when it is needed."""
        return self._items("/v1/events/{id}/missed", [id], query)

    async def erase_payload(self, id: str) -> t.ErasedPayload:
        """Erase an event's payload."""
        return await self._call("DELETE", "/v1/events/{id}/payload", [id])


class AsyncKeys(AsyncResource):
    async def list(self) -> t.KeyList:
        """List the account's keys."""
        return await self._call("GET", "/v1/keys")

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateKey]) -> t.CreatedKey:
        """Create a key."""
        return await self._call("POST", "/v1/keys", body=body, idempotency_key=idempotency_key)

    async def delete(self, id: str) -> t.Deleted:
        """Revoke a key."""
        return await self._call("DELETE", "/v1/keys/{id}", [id])

    async def update(self, id: str, **body: Unpack[t.UpdateKey]) -> t.Key:
        """Enable or disable a key."""
        return await self._call("PATCH", "/v1/keys/{id}", [id], body=body)


class AsyncWebhooks(AsyncResource):
    """Send webhooks, and see how their delivery went."""

    async def list(self, **query: Unpack[t.ListWebhooksQuery]) -> t.DeliveryListing:
        """List deliveries."""
        return await self._call("GET", "/v1/webhooks", query=query)

    def all(self, **query: Unpack[t.ListWebhooksQuery]) -> AsyncIterator[t.ListedDelivery]:
        """Reads all pages of `list`, each when it is needed."""
        return self._items("/v1/webhooks", [], query)

    async def send(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateWebhook]) -> t.AcceptedDelivery:
        """Send a webhook."""
        return await self._call("POST", "/v1/webhooks", body=body, idempotency_key=idempotency_key)

    async def send_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreateWebhooks]) -> t.WebhookResults:
        """Send many webhooks."""
        return await self._call("POST", "/v1/webhooks/batch", body=body, idempotency_key=idempotency_key)

    async def resend_many(self, *, idempotency_key: str | None = None, **body: Unpack[t.ResendSelection]) -> t.Job:
        """Resend many deliveries."""
        return await self._call("POST", "/v1/webhooks/resend", body=body, idempotency_key=idempotency_key)

    async def summary(self, **query: Unpack[t.SummarizeWebhooksQuery]) -> t.WebhookSummary:
        """Count deliveries by status and answer."""
        return await self._call("GET", "/v1/webhooks/summary", query=query)

    async def get(self, id: str) -> t.DeliveryDetail:
        """Get a delivery."""
        return await self._call("GET", "/v1/webhooks/{id}", [id])

    async def cancel(self, id: str, *, idempotency_key: str | None = None) -> t.Delivery:
        """Cancel a pending delivery."""
        return await self._call("POST", "/v1/webhooks/{id}/cancel", [id], idempotency_key=idempotency_key)

    async def erase_payload(self, id: str) -> t.ErasedPayload:
        """Erase a delivery's payload."""
        return await self._call("DELETE", "/v1/webhooks/{id}/payload", [id])

    async def resend(self, id: str, *, idempotency_key: str | None = None) -> t.ReplayedDelivery:
        """Resend a delivery."""
        return await self._call("POST", "/v1/webhooks/{id}/resend", [id], idempotency_key=idempotency_key)

    async def retry(self, id: str, *, idempotency_key: str | None = None) -> t.Delivery:
        """Attempt a waiting delivery now."""
        return await self._call("POST", "/v1/webhooks/{id}/retry", [id], idempotency_key=idempotency_key)


class AsyncMethods(AsyncResource):
    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport)
        self.admin = AsyncAdmin(transport)
        self.event_types = AsyncEventTypes(transport)
        self.endpoints = AsyncEndpoints(transport)
        self.jobs = AsyncJobs(transport)
        self.events = AsyncEvents(transport)
        self.keys = AsyncKeys(transport)
        self.webhooks = AsyncWebhooks(transport)

    async def list_activity(self, **query: Unpack[t.ListActivityQuery]) -> t.AuditPage:
        """List the changes in the account."""
        return await self._call("GET", "/v1/activity", query=query)

    def all_activity(self, **query: Unpack[t.ListActivityQuery]) -> AsyncIterator[t.AuditEntry]:
        """Reads all pages of `list_activity`, each when it is needed."""
        return self._items("/v1/activity", [], query)

    async def backlog(self, **query: Unpack[t.GetBacklogQuery]) -> t.BacklogPage:
        """List endpoints with pending deliveries."""
        return await self._call("GET", "/v1/backlog", query=query)

    async def usage(self) -> t.Usage:
        """Get the current month's usage."""
        return await self._call("GET", "/v1/billing/usage")

    async def me(self) -> t.Me:
        """Show the account and the key of the request."""
        return await self._call("GET", "/v1/me")

    async def create_portal_session(self, *, idempotency_key: str | None = None, **body: Unpack[t.CreatePortalSession]) -> t.PortalLink:
        """Make a link to the customer portal."""
        return await self._call("POST", "/v1/portal-sessions", body=body, idempotency_key=idempotency_key)

    async def stats(self) -> t.Stats:
        """Get the account's statistics."""
        return await self._call("GET", "/v1/stats")

    async def stats_series(self, **query: Unpack[t.GetStatsSeriesQuery]) -> t.Series:
        """Get the account's figures over time."""
        return await self._call("GET", "/v1/stats/series", query=query)
