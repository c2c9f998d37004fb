// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;
import java.util.Map;

/** List deliveries of all accounts */
public final class ListAllDeliveriesQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListAllDeliveriesQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListAllDeliveriesQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only this account, by its id or its external id. */
    public ListAllDeliveriesQuery account(String account) { return with(this, "account", account); }

    /** Only deliveries in this status. */
    public ListAllDeliveriesQuery status(DeliveryStatus status) { return with(this, "status", status); }

    /** Only deliveries of this event type. */
    public ListAllDeliveriesQuery eventType(String eventType) { return with(this, "event_type", eventType); }

    /** Only deliveries to this endpoint. */
    public ListAllDeliveriesQuery endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    /** Only deliveries created at or after this time. */
    public ListAllDeliveriesQuery after(Instant after) { return with(this, "after", after); }

    /** Only deliveries created before this time. */
    public ListAllDeliveriesQuery before(Instant before) { return with(this, "before", before); }

    /** Only deliveries whose last attempt got this status: a number such as {@code 503}, a class such as {@code 5xx}, or {@code 0} for no HTTP response. */
    public ListAllDeliveriesQuery responseStatus(String responseStatus) { return with(this, "response_status", responseStatus); }

    /** Only deliveries with an attempt that failed with this error. */
    public ListAllDeliveriesQuery error(AttemptError error) { return with(this, "error", error); }

    /** Only deliveries with this ordering key. */
    public ListAllDeliveriesQuery orderingKey(String orderingKey) { return with(this, "ordering_key", orderingKey); }

    /** Only deliveries with this number at their endpoint. */
    public ListAllDeliveriesQuery sequence(long sequence) { return with(this, "sequence", sequence); }

    /** Only deliveries with this value in this top-level field of their payload. */
    public ListAllDeliveriesQuery data(Map<String, String> data) { return with(this, "data", data); }
}
