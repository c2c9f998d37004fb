// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** Send events to every endpoint that wants them, and see who got them and who did not. */
public final class Events extends Resource {
    Events(Transport transport) {
        super(transport);
    }

    /** List events. */
    public EventPage list() {
        return call(request("GET", "/v1/events"), EventPage::new);
    }

    /** List events. */
    public EventPage list(ListEventsQuery query) {
        return call(request("GET", "/v1/events").query(query), EventPage::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Event> all() {
        return items(request("GET", "/v1/events"), Event::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Event> all(ListEventsQuery query) {
        return items(request("GET", "/v1/events").query(query), Event::new);
    }

    /** Send an event to every endpoint that wants it. */
    public PublishedEvent publish(CreateEvent body, RequestOption... options) {
        return call(request("POST", "/v1/events").body(body).options(options), PublishedEvent::new);
    }

    /** Send many events to every endpoint that wants them. */
    public EventResults publishMany(CreateEvents body, RequestOption... options) {
        return call(request("POST", "/v1/events/batch").body(body).options(options), EventResults::new);
    }

    /** Get an event. */
    public EventDetail get(String id) {
        return call(request("GET", "/v1/events/{id}", id), EventDetail::new);
    }

    /** List an event's deliveries. */
    public EventDeliveries listDeliveries(String id) {
        return call(request("GET", "/v1/events/{id}/deliveries", id), EventDeliveries::new);
    }

    /** List an event's deliveries. */
    public EventDeliveries listDeliveries(String id, ListEventDeliveriesQuery query) {
        return call(request("GET", "/v1/events/{id}/deliveries", id).query(query), EventDeliveries::new);
    }

    /** Reads all pages of {@code listDeliveries}, each when it is needed. */
    public Items<Delivery> allDeliveries(String id) {
        return items(request("GET", "/v1/events/{id}/deliveries", id), Delivery::new);
    }

    /** Reads all pages of {@code listDeliveries}, each when it is needed. */
    public Items<Delivery> allDeliveries(String id, ListEventDeliveriesQuery query) {
        return items(request("GET", "/v1/events/{id}/deliveries", id).query(query), Delivery::new);
    }

    /** List the endpoints that did not get an event. */
    public MissedEventPage listMissedEndpoints(String id) {
        return call(request("GET", "/v1/events/{id}/missed", id), MissedEventPage::new);
    }

    /** List the endpoints that did not get an event. */
    public MissedEventPage listMissedEndpoints(String id, ListMissedEndpointsQuery query) {
        return call(request("GET", "/v1/events/{id}/missed", id).query(query), MissedEventPage::new);
    }

    /** Reads all pages of {@code listMissedEndpoints}, each when it is needed. */
    public Items<MissedEvent> allMissedEndpoints(String id) {
        return items(request("GET", "/v1/events/{id}/missed", id), MissedEvent::new);
    }

    /** Reads all pages of {@code listMissedEndpoints}, each when it is needed. */
    public Items<MissedEvent> allMissedEndpoints(String id, ListMissedEndpointsQuery query) {
        return items(request("GET", "/v1/events/{id}/missed", id).query(query), MissedEvent::new);
    }

    /** Erase an event's payload. */
    public ErasedPayload erasePayload(String id) {
        return call(request("DELETE", "/v1/events/{id}/payload", id), ErasedPayload::new);
    }
}
