// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

public final class CreateReplay extends Input {
    /** Selects deliveries created at this moment or later (ISO 8601). */
    public CreateReplay after(Instant after) { return with(this, "after", after); }

    /** Selects deliveries created before this moment (ISO 8601). */
    public CreateReplay before(Instant before) { return with(this, "before", before); }

    /** Selects deliveries of this event type. */
    public CreateReplay event(String event) { return with(this, "event", event); }

    /** True: sends the events of the range that the endpoint's filter matches now and of which it has no delivery. */
    public CreateReplay missing(boolean missing) { return with(this, "missing", missing); }

    /** Selects deliveries with this status. */
    public CreateReplay status(EndedStatus status) { return with(this, "status", status); }
}
