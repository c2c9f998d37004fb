// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class Partition extends Answer {
    /** Views an answer of the service. */
    public Partition(Json json) {
        super(json);
    }

    /** The id of the process that dispatches for it; null if there is none. */
    public @Nullable String owner() { return read("owner", Json::asText); }

    public long partition() { return read("partition", Json::asLong); }
}
