// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;
import java.util.Map;

/** List deliveries */
public final class ListWebhooksQuery extends Input {
    /** Pages: the page's number, from 1. */
    public ListWebhooksQuery page(long page) { return with(this, "page", page); }

    /** Pages: Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListWebhooksQuery perPage(long perPage) { return with(this, "per_page", perPage); }

    /** Pages: only deliveries of this event type. */
    public ListWebhooksQuery event(String event) { return with(this, "event", event); }

    /** Both forms: only deliveries in this status. */
    public ListWebhooksQuery status(DeliveryStatus status) { return with(this, "status", status); }

    /** Cursors: Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListWebhooksQuery limit(long limit) { return with(this, "limit", limit); }

    /** Cursors: the {@code cursor} of the previous answer. */
    public ListWebhooksQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Cursors: {@code start}, {@code now}, or the {@code iterator} of the previous answer. */
    public ListWebhooksQuery iterator(String iterator) { return with(this, "iterator", iterator); }

    /** Cursors: only deliveries of this event type. */
    public ListWebhooksQuery eventType(String eventType) { return with(this, "event_type", eventType); }

    /** Cursors: only deliveries to this endpoint. */
    public ListWebhooksQuery endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    /** Cursors: only deliveries created at or after this time. */
    public ListWebhooksQuery after(Instant after) { return with(this, "after", after); }

    /** Cursors: only deliveries created before this time. */
    public ListWebhooksQuery before(Instant before) { return with(this, "before", before); }

    /** Cursors: only deliveries whose last attempt got this status: a number such as {@code 503}, a class such as {@code 5xx}, or {@code 0} for no HTTP response. */
    public ListWebhooksQuery responseStatus(String responseStatus) { return with(this, "response_status", responseStatus); }

    /** Cursors: only deliveries with an attempt that failed with this error. */
    public ListWebhooksQuery error(AttemptError error) { return with(this, "error", error); }

    /** Cursors: only deliveries with this ordering key. */
    public ListWebhooksQuery orderingKey(String orderingKey) { return with(this, "ordering_key", orderingKey); }

    /** Cursors: only deliveries with this number at their endpoint. */
    public ListWebhooksQuery sequence(long sequence) { return with(this, "sequence", sequence); }

    /** Cursors: only deliveries with this value in this top-level field of their payload. */
    public ListWebhooksQuery data(Map<String, String> data) { return with(this, "data", data); }
}
