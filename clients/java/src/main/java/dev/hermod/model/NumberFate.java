// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class NumberFate extends Answer {
    /** Views an answer of the service. */
    public NumberFate(Json json) {
        super(json);
    }

    public @Nullable Instant completedAt() { return read("completed_at", Json::asInstant); }

    public @Nullable Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The payload, byte for byte as it was sent. */
    public Json data() { return json().get("data"); }

    /** True once the payload is erased. */
    public boolean erased() { return read("erased", Json::asBoolean); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Begins with {@code wh_}. */
    public @Nullable String id() { return read("id", Json::asText); }

    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** Why it was cancelled; {@code expired} if it failed because it was pending for longer than HERMOD_RETENTION. */
    public @Nullable EndReason reason() { return read("reason", EndReason::of); }

    /** The delivery's number at its endpoint. */
    public long sequence() { return read("sequence", Json::asLong); }

    /** What became of the delivery. */
    public FinalStatus status() { return read("status", FinalStatus::of); }

    /** As the request's {@code webhook-id}. */
    public @Nullable String webhookId() { return read("webhook_id", Json::asText); }
}
