// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;

public class PublishedEvent extends Answer {
    /** Views an answer of the service. */
    public PublishedEvent(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** A delivery for each endpoint whose filter the event matches, oldest endpoint first. */
    public List<AcceptedDelivery> deliveries() { return list("deliveries", AcceptedDelivery::new); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Your own id of the event. */
    public @Nullable String eventId() { return read("event_id", Json::asText); }

    /** The ids of the deliveries that wait because their endpoint is inactive. */
    public List<String> held() { return list("held", Json::asText); }

    /** Begins with {@code evt_}. */
    public String id() { return read("id", Json::asText); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** The ids of the endpoints whose filter the event matches, and that get no delivery because they are inactive and skip events. */
    public List<String> skipped() { return list("skipped", Json::asText); }
}
