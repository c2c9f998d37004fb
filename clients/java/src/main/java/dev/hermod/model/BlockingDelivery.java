// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class BlockingDelivery extends Answer {
    /** Views an answer of the service. */
    public BlockingDelivery(Json json) {
        super(json);
    }

    public long attemptCount() { return read("attempt_count", Json::asLong); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    public LastFailure lastAttempt() { return read("last_attempt", LastFailure::new); }

    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    public long sequence() { return read("sequence", Json::asLong); }
}
