// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;
import java.util.Map;

/** List events of all accounts */
public final class ListAllEventsQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListAllEventsQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListAllEventsQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only this account, by its id or its external id. */
    public ListAllEventsQuery account(String account) { return with(this, "account", account); }

    /** Only events of this type. */
    public ListAllEventsQuery eventType(String eventType) { return with(this, "event_type", eventType); }

    /** Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. */
    public ListAllEventsQuery eventId(String eventId) { return with(this, "event_id", eventId); }

    /** Only events created at or after this time. */
    public ListAllEventsQuery after(Instant after) { return with(this, "after", after); }

    /** Only events created before this time. */
    public ListAllEventsQuery before(Instant before) { return with(this, "before", before); }

    /** Only events with this value in this top-level field of their payload. */
    public ListAllEventsQuery data(Map<String, String> data) { return with(this, "data", data); }
}
