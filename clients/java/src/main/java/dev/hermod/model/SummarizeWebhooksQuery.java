// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;
import java.util.Map;

/** Count deliveries by status and answer */
public final class SummarizeWebhooksQuery extends Input {
    /** Only deliveries in this status. */
    public SummarizeWebhooksQuery status(DeliveryStatus status) { return with(this, "status", status); }

    /** Only deliveries of this event type. */
    public SummarizeWebhooksQuery eventType(String eventType) { return with(this, "event_type", eventType); }

    /** Only deliveries to this endpoint. */
    public SummarizeWebhooksQuery endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    /** Only deliveries created at or after this time. */
    public SummarizeWebhooksQuery after(Instant after) { return with(this, "after", after); }

    /** Only deliveries created before this time. */
    public SummarizeWebhooksQuery before(Instant before) { return with(this, "before", before); }

    /** Only deliveries whose last attempt got this status: a number such as {@code 503}, a class such as {@code 5xx}, or {@code 0} for no HTTP response. */
    public SummarizeWebhooksQuery responseStatus(String responseStatus) { return with(this, "response_status", responseStatus); }

    /** Only deliveries with an attempt that failed with this error. */
    public SummarizeWebhooksQuery error(AttemptError error) { return with(this, "error", error); }

    /** Only deliveries with this ordering key. */
    public SummarizeWebhooksQuery orderingKey(String orderingKey) { return with(this, "ordering_key", orderingKey); }

    /** Only deliveries with this number at their endpoint. */
    public SummarizeWebhooksQuery sequence(long sequence) { return with(this, "sequence", sequence); }

    /** Only deliveries with this value in this top-level field of their payload. */
    public SummarizeWebhooksQuery data(Map<String, String> data) { return with(this, "data", data); }
}
