// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** Accounts, plans, and lists over all accounts. */
public final class Admin extends Resource {
    Admin(Transport transport) {
        super(transport);
    }

    /** List accounts. */
    public AccountPage listAccounts() {
        return call(request("GET", "/v1/admin/accounts"), AccountPage::new);
    }

    /** List accounts. */
    public AccountPage listAccounts(ListAccountsQuery query) {
        return call(request("GET", "/v1/admin/accounts").query(query), AccountPage::new);
    }

    /** Reads all pages of {@code listAccounts}, each when it is needed. */
    public Items<Account> allAccounts() {
        return items(request("GET", "/v1/admin/accounts"), Account::new);
    }

    /** Reads all pages of {@code listAccounts}, each when it is needed. */
    public Items<Account> allAccounts(ListAccountsQuery query) {
        return items(request("GET", "/v1/admin/accounts").query(query), Account::new);
    }

    /** Create an account. */
    public Account createAccount(CreateAccount body, RequestOption... options) {
        return call(request("POST", "/v1/admin/accounts").body(body).options(options), Account::new);
    }

    /** Get an account. */
    public Account getAccount(String id) {
        return call(request("GET", "/v1/admin/accounts/{id}", id), Account::new);
    }

    /** Change an account. */
    public Account updateAccount(String id) {
        return call(request("PATCH", "/v1/admin/accounts/{id}", id), Account::new);
    }

    /** Change an account. */
    public Account updateAccount(String id, UpdateAccount body) {
        return call(request("PATCH", "/v1/admin/accounts/{id}", id).body(body), Account::new);
    }

    /** Create or change an account by its external id. */
    public Account putAccount(String externalId) {
        return call(request("PUT", "/v1/admin/accounts/{id}", "~" + externalId), Account::new);
    }

    /** Create or change an account by its external id. */
    public Account putAccount(String externalId, AccountUpsert body) {
        return call(request("PUT", "/v1/admin/accounts/{id}", "~" + externalId).body(body), Account::new);
    }

    /** List an account's keys. */
    public KeyList listAccountKeys(String id) {
        return call(request("GET", "/v1/admin/accounts/{id}/keys", id), KeyList::new);
    }

    /** Create a key for an account. */
    public CreatedKey createAccountKey(String id, RequestOption... options) {
        return call(request("POST", "/v1/admin/accounts/{id}/keys", id).options(options), CreatedKey::new);
    }

    /** Create a key for an account. */
    public CreatedKey createAccountKey(String id, CreateKey body, RequestOption... options) {
        return call(request("POST", "/v1/admin/accounts/{id}/keys", id).body(body).options(options), CreatedKey::new);
    }

    /** List the changes in all accounts. */
    public AuditPage listAudit() {
        return call(request("GET", "/v1/admin/audit"), AuditPage::new);
    }

    /** List the changes in all accounts. */
    public AuditPage listAudit(ListAuditQuery query) {
        return call(request("GET", "/v1/admin/audit").query(query), AuditPage::new);
    }

    /** Reads all pages of {@code listAudit}, each when it is needed. */
    public Items<AuditEntry> allAudit() {
        return items(request("GET", "/v1/admin/audit"), AuditEntry::new);
    }

    /** Reads all pages of {@code listAudit}, each when it is needed. */
    public Items<AuditEntry> allAudit(ListAuditQuery query) {
        return items(request("GET", "/v1/admin/audit").query(query), AuditEntry::new);
    }

    /** Import event types for all accounts from a document. */
    public CatalogueImportResult importCatalogue(RequestOption... options) {
        return call(request("POST", "/v1/admin/catalogue/import").options(options), CatalogueImportResult::new);
    }

    /** Import event types for all accounts from a document. */
    public CatalogueImportResult importCatalogue(CatalogueImport body, RequestOption... options) {
        return call(request("POST", "/v1/admin/catalogue/import").body(body).options(options), CatalogueImportResult::new);
    }

    /** List the cells. */
    public CellList listCells() {
        return call(request("GET", "/v1/admin/cells"), CellList::new);
    }

    /** Let a cell accept new accounts, or not. */
    public Cell updateCell(String name, UpdateCell body) {
        return call(request("PATCH", "/v1/admin/cells/{name}", name).body(body), Cell::new);
    }

    /** List deliveries of all accounts. */
    public AccountDeliveryPage listDeliveries() {
        return call(request("GET", "/v1/admin/deliveries"), AccountDeliveryPage::new);
    }

    /** List deliveries of all accounts. */
    public AccountDeliveryPage listDeliveries(ListAllDeliveriesQuery query) {
        return call(request("GET", "/v1/admin/deliveries").query(query), AccountDeliveryPage::new);
    }

    /** Reads all pages of {@code listDeliveries}, each when it is needed. */
    public Items<AccountDelivery> allDeliveries() {
        return items(request("GET", "/v1/admin/deliveries"), AccountDelivery::new);
    }

    /** Reads all pages of {@code listDeliveries}, each when it is needed. */
    public Items<AccountDelivery> allDeliveries(ListAllDeliveriesQuery query) {
        return items(request("GET", "/v1/admin/deliveries").query(query), AccountDelivery::new);
    }

    /** List endpoints of all accounts. */
    public AccountEndpointPage listEndpoints() {
        return call(request("GET", "/v1/admin/endpoints"), AccountEndpointPage::new);
    }

    /** List endpoints of all accounts. */
    public AccountEndpointPage listEndpoints(ListAllEndpointsQuery query) {
        return call(request("GET", "/v1/admin/endpoints").query(query), AccountEndpointPage::new);
    }

    /** Reads all pages of {@code listEndpoints}, each when it is needed. */
    public Items<AccountEndpoint> allEndpoints() {
        return items(request("GET", "/v1/admin/endpoints"), AccountEndpoint::new);
    }

    /** Reads all pages of {@code listEndpoints}, each when it is needed. */
    public Items<AccountEndpoint> allEndpoints(ListAllEndpointsQuery query) {
        return items(request("GET", "/v1/admin/endpoints").query(query), AccountEndpoint::new);
    }

    /** List the installation's event types. */
    public EventTypePage listEventTypes() {
        return call(request("GET", "/v1/admin/event-types"), EventTypePage::new);
    }

    /** List the installation's event types. */
    public EventTypePage listEventTypes(ListInstallationEventTypesQuery query) {
        return call(request("GET", "/v1/admin/event-types").query(query), EventTypePage::new);
    }

    /** Reads all pages of {@code listEventTypes}, each when it is needed. */
    public Items<EventType> allEventTypes() {
        return items(request("GET", "/v1/admin/event-types"), EventType::new);
    }

    /** Reads all pages of {@code listEventTypes}, each when it is needed. */
    public Items<EventType> allEventTypes(ListInstallationEventTypesQuery query) {
        return items(request("GET", "/v1/admin/event-types").query(query), EventType::new);
    }

    /** Get an event type of the installation. */
    public EventType getEventType(String name) {
        return call(request("GET", "/v1/admin/event-types/{name}", name), EventType::new);
    }

    /** Describe an event type for all accounts. */
    public EventType putEventType(String name) {
        return call(request("PUT", "/v1/admin/event-types/{name}", name), EventType::new);
    }

    /** Describe an event type for all accounts. */
    public EventType putEventType(String name, EventTypeDescription body) {
        return call(request("PUT", "/v1/admin/event-types/{name}", name).body(body), EventType::new);
    }

    /** Remove an event type's schema for all accounts. */
    public Deleted deleteSchema(String name) {
        return call(request("DELETE", "/v1/admin/event-types/{name}/schema", name), Deleted::new);
    }

    /** Set an event type's schema for all accounts. */
    public EventTypeWithSchema putSchema(String name, CreateSchema body) {
        return call(request("PUT", "/v1/admin/event-types/{name}/schema", name).body(body), EventTypeWithSchema::new);
    }

    /** List events of all accounts. */
    public AccountEventPage listEvents() {
        return call(request("GET", "/v1/admin/events"), AccountEventPage::new);
    }

    /** List events of all accounts. */
    public AccountEventPage listEvents(ListAllEventsQuery query) {
        return call(request("GET", "/v1/admin/events").query(query), AccountEventPage::new);
    }

    /** Reads all pages of {@code listEvents}, each when it is needed. */
    public Items<AccountEvent> allEvents() {
        return items(request("GET", "/v1/admin/events"), AccountEvent::new);
    }

    /** Reads all pages of {@code listEvents}, each when it is needed. */
    public Items<AccountEvent> allEvents(ListAllEventsQuery query) {
        return items(request("GET", "/v1/admin/events").query(query), AccountEvent::new);
    }

    /** Revoke a key of any account. */
    public Deleted deleteKey(String id) {
        return call(request("DELETE", "/v1/admin/keys/{id}", id), Deleted::new);
    }

    /** List plans. */
    public PlanList listPlans() {
        return call(request("GET", "/v1/admin/plans"), PlanList::new);
    }

    /** Create or change a plan. */
    public Plan putPlan(String name, PlanLimits body) {
        return call(request("PUT", "/v1/admin/plans/{name}", name).body(body), Plan::new);
    }

    /** Get figures over time of all accounts. */
    public Series statsSeries() {
        return call(request("GET", "/v1/admin/stats/series"), Series::new);
    }

    /** Get figures over time of all accounts. */
    public Series statsSeries(GetAllStatsSeriesQuery query) {
        return call(request("GET", "/v1/admin/stats/series").query(query), Series::new);
    }

    /** Show the processes and partitions of the installation. */
    public HermodSystem system() {
        return call(request("GET", "/v1/admin/system"), HermodSystem::new);
    }
}
