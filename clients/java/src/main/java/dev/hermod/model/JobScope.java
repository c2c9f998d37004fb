// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class JobScope extends Answer {
    /** Views an answer of the service. */
    public JobScope(Json json) {
        super(json);
    }

    public @Nullable Instant after() { return read("after", Json::asInstant); }

    public Instant before() { return read("before", Json::asInstant); }

    public @Nullable String endpointId() { return read("endpoint_id", Json::asText); }

    public @Nullable String event() { return read("event", Json::asText); }

    public @Nullable EndedStatus status() { return read("status", EndedStatus::of); }
}
