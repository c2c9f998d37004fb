// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class ReceivedWebhook extends Answer {
    /** Views an answer of the service. */
    public ReceivedWebhook(Json json) {
        super(json);
    }

    /** Counts from 1. */
    public long attempt() { return read("attempt", Json::asLong); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The payload, byte for byte as it was sent; null if it was erased. */
    public Json data() { return json().get("data"); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    public long sequence() { return read("sequence", Json::asLong); }

    /** As the header {@code webhook-id} of a pushed delivery. */
    public String webhookId() { return read("webhook_id", Json::asText); }
}
