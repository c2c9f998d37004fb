// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class AccountEvent extends Answer {
    /** Views an answer of the service. */
    public AccountEvent(Json json) {
        super(json);
    }

    public String accountId() { return read("account_id", Json::asText); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The number of deliveries that were accepted with the event. */
    public long deliveryCount() { return read("delivery_count", Json::asLong); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Your own id of the event. */
    public @Nullable String eventId() { return read("event_id", Json::asText); }

    /** Begins with {@code evt_}. */
    public String id() { return read("id", Json::asText); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }
}
