// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class DeliveryInFront extends Answer {
    /** Views an answer of the service. */
    public DeliveryInFront(Json json) {
        super(json);
    }

    public long attemptCount() { return read("attempt_count", Json::asLong); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    /** When its next attempt begins; null if one is under way or due now. */
    public @Nullable Instant nextAttemptAt() { return read("next_attempt_at", Json::asInstant); }

    /** The HTTP status of its last attempt; 0 if there was no HTTP response, null before the first attempt. */
    public @Nullable Long responseStatus() { return read("response_status", Json::asLong); }

    public long sequence() { return read("sequence", Json::asLong); }

    /** When its first attempt began; null if there was none. */
    public @Nullable Instant since() { return read("since", Json::asInstant); }
}
