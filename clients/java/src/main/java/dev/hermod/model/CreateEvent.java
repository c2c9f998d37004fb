// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class CreateEvent extends Input {
    /** The payload, any JSON value. */
    public CreateEvent data(@Nullable Object data) { return with(this, "data", data); }

    /** When to send it: seconds from now, such as {@code 3600}, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION. */
    public CreateEvent deliverAfter(@Nullable String deliverAfter) { return with(this, "deliver_after", deliverAfter); }

    public CreateEvent event(@Nullable String event) { return with(this, "event", event); }

    /** Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. */
    public CreateEvent eventId(@Nullable String eventId) { return with(this, "event_id", eventId); }

    /** Groups deliveries, for example by a customer's id. */
    public CreateEvent orderingKey(@Nullable String orderingKey) { return with(this, "ordering_key", orderingKey); }
}
