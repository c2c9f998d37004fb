// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class Plan extends Answer {
    /** Views an answer of the service. */
    public Plan(Json json) {
        super(json);
    }

    public String name() { return read("name", Json::asText); }

    /** Null means no limit. */
    public @Nullable Long requestsPerMinute() { return read("requests_per_minute", Json::asLong); }

    /** Null means no limit. */
    public @Nullable Long webhooksPerMonth() { return read("webhooks_per_month", Json::asLong); }
}
