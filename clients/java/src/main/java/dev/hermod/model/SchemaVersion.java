// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

public class SchemaVersion extends Answer {
    /** Views an answer of the service. */
    public SchemaVersion(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** A JSON Schema, draft 2020-12 or draft 7. */
    public @Nullable Map<String, Json> schema() { return map("schema", Function.identity()); }

    /** Counts from 1. */
    public long version() { return read("version", Json::asLong); }
}
