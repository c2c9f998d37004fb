// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;
import java.util.Map;

/** Selects deliveries like the filters of {@code GET /webhooks} with cursors, at most 10,000. */
public final class ResendFilter extends Input {
    /** Created at this moment or later (ISO 8601). */
    public ResendFilter after(Instant after) { return with(this, "after", after); }

    /** Created before this moment (ISO 8601). */
    public ResendFilter before(Instant before) { return with(this, "before", before); }

    /** Values of top-level fields of the payload, as texts: {@code {"order_id": "42"}}. */
    public ResendFilter data(Map<String, String> data) { return with(this, "data", data); }

    public ResendFilter endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    public ResendFilter error(AttemptError error) { return with(this, "error", error); }

    public ResendFilter eventType(String eventType) { return with(this, "event_type", eventType); }

    public ResendFilter orderingKey(String orderingKey) { return with(this, "ordering_key", orderingKey); }

    public ResendFilter responseStatus(String responseStatus) { return with(this, "response_status", responseStatus); }

    public ResendFilter sequence(long sequence) { return with(this, "sequence", sequence); }

    public ResendFilter status(EndedStatus status) { return with(this, "status", status); }
}
