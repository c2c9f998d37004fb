// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class Account extends Answer {
    /** Views an answer of the service. */
    public Account(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    public @Nullable String externalId() { return read("external_id", Json::asText); }

    /** Begins with {@code acc_}. */
    public String id() { return read("id", Json::asText); }

    public String name() { return read("name", Json::asText); }

    public String plan() { return read("plan", Json::asText); }
}
