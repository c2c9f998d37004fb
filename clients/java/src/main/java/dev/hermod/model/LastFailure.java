// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class LastFailure extends Answer {
    /** Views an answer of the service. */
    public LastFailure(Json json) {
        super(json);
    }

    public Instant at() { return read("at", Json::asInstant); }

    public @Nullable String error() { return read("error", Json::asText); }

    public @Nullable String errorDetail() { return read("error_detail", Json::asText); }

    /** 0 if there was no HTTP response. */
    public long status() { return read("status", Json::asLong); }
}
