// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** The methods and resources of a client. */
public abstract class Methods extends Resource {
    private final Admin admin;
    private final EventTypes eventTypes;
    private final Endpoints endpoints;
    private final Jobs jobs;
    private final Events events;
    private final Keys keys;
    private final Webhooks webhooks;

    Methods(Transport transport) {
        super(transport);
        this.admin = new Admin(transport);
        this.eventTypes = new EventTypes(transport);
        this.endpoints = new Endpoints(transport);
        this.jobs = new Jobs(transport);
        this.events = new Events(transport);
        this.keys = new Keys(transport);
        this.webhooks = new Webhooks(transport);
    }

    /** Accounts, plans, and lists over all accounts. */
    public Admin admin() {
        return admin;
    }

    /** The event types in use, and the schemas their payloads must match. */
    public EventTypes eventTypes() {
        return eventTypes;
    }

    /** The receivers of webhooks. */
    public Endpoints endpoints() {
        return endpoints;
    }

    /** Replay or erase many deliveries in the background. */
    public Jobs jobs() {
        return jobs;
    }

    /** Send events to every endpoint that wants them, and see who got them and who did not. */
    public Events events() {
        return events;
    }

    public Keys keys() {
        return keys;
    }

    /** Send webhooks, and see how their delivery went. */
    public Webhooks webhooks() {
        return webhooks;
    }

    /** List the changes in the account. */
    public AuditPage listActivity() {
        return call(request("GET", "/v1/activity"), AuditPage::new);
    }

    /** List the changes in the account. */
    public AuditPage listActivity(ListActivityQuery query) {
        return call(request("GET", "/v1/activity").query(query), AuditPage::new);
    }

    /** Reads all pages of {@code listActivity}, each when it is needed. */
    public Items<AuditEntry> allActivity() {
        return items(request("GET", "/v1/activity"), AuditEntry::new);
    }

    /** Reads all pages of {@code listActivity}, each when it is needed. */
    public Items<AuditEntry> allActivity(ListActivityQuery query) {
        return items(request("GET", "/v1/activity").query(query), AuditEntry::new);
    }

    /** List endpoints with pending deliveries. */
    public BacklogPage backlog() {
        return call(request("GET", "/v1/backlog"), BacklogPage::new);
    }

    /** List endpoints with pending deliveries. */
    public BacklogPage backlog(GetBacklogQuery query) {
        return call(request("GET", "/v1/backlog").query(query), BacklogPage::new);
    }

    /** Get the current month's usage. */
    public Usage usage() {
        return call(request("GET", "/v1/billing/usage"), Usage::new);
    }

    /** Show the account and the key of the request. */
    public Me me() {
        return call(request("GET", "/v1/me"), Me::new);
    }

    /** Make a link to the customer portal. */
    public PortalLink createPortalSession(CreatePortalSession body, RequestOption... options) {
        return call(request("POST", "/v1/portal-sessions").body(body).options(options), PortalLink::new);
    }

    /** Get the account's statistics. */
    public Stats stats() {
        return call(request("GET", "/v1/stats"), Stats::new);
    }

    /** Get the account's figures over time. */
    public Series statsSeries() {
        return call(request("GET", "/v1/stats/series"), Series::new);
    }

    /** Get the account's figures over time. */
    public Series statsSeries(GetStatsSeriesQuery query) {
        return call(request("GET", "/v1/stats/series").query(query), Series::new);
    }
}
