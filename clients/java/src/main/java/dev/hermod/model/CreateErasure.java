// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

public final class CreateErasure extends Input {
    /** Selects deliveries created at this moment or later (ISO 8601). */
    public CreateErasure after(Instant after) { return with(this, "after", after); }

    /** Selects deliveries created before this moment (ISO 8601). */
    public CreateErasure before(Instant before) { return with(this, "before", before); }

    /** Selects deliveries to this endpoint. */
    public CreateErasure endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    /** Selects deliveries of this event type. */
    public CreateErasure event(String event) { return with(this, "event", event); }
}
