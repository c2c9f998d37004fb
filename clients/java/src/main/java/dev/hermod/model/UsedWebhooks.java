// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class UsedWebhooks extends Answer {
    /** Views an answer of the service. */
    public UsedWebhooks(Json json) {
        super(json);
    }

    /** Null means no limit. */
    public @Nullable Long limit() { return read("limit", Json::asLong); }

    /** Null means no limit. */
    public @Nullable Long remaining() { return read("remaining", Json::asLong); }

    public long used() { return read("used", Json::asLong); }
}
