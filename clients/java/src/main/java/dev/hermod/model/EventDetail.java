// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;

public class EventDetail extends Answer {
    /** Views an answer of the service. */
    public EventDetail(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The payload; null once it is erased ({@code erased_at}). */
    public Json data() { return json().get("data"); }

    /** The first 100, the oldest endpoint's first. */
    public List<Delivery> deliveries() { return list("deliveries", Delivery::new); }

    /** Null if these are all; else send it as {@code cursor} to {@code GET /events/{id}/deliveries}. */
    public @Nullable String deliveriesCursor() { return read("deliveries_cursor", Json::asText); }

    /** The number of deliveries that were accepted with the event. */
    public long deliveryCount() { return read("delivery_count", Json::asLong); }

    /** When the payload was erased; present only if it was. */
    public @Nullable Instant erasedAt() { return read("erased_at", Json::asInstant); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Your own id of the event. */
    public @Nullable String eventId() { return read("event_id", Json::asText); }

    /** Begins with {@code evt_}. */
    public String id() { return read("id", Json::asText); }

    /** The first 100 endpoints of the account without a delivery of the event, and why. */
    public List<MissedEvent> missed() { return list("missed", MissedEvent::new); }

    /** Null if these are all; else send it as {@code cursor} to {@code GET /events/{id}/missed}. */
    public @Nullable String missedCursor() { return read("missed_cursor", Json::asText); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }
}
