// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

public class EventType extends Answer {
    /** Views an answer of the service. */
    public EventType(Json json) {
        super(json);
    }

    /** When the event type was first sent or described. */
    public Instant createdAt() { return read("created_at", Json::asInstant); }

    public boolean deprecated() { return read("deprecated", Json::asBoolean); }

    public @Nullable String description() { return read("description", Json::asText); }

    public String eventType() { return read("event_type", Json::asText); }

    /** A payload, at most 16,384 bytes. */
    public Json example() { return json().get("example"); }

    public @Nullable String group() { return read("group", Json::asText); }

    /** A JSON Schema, draft 2020-12 or draft 7. */
    public @Nullable Map<String, Json> schema() { return map("schema", Function.identity()); }

    /** The number of changes of the schema; 0 if it never had one. */
    public long schemaVersion() { return read("schema_version", Json::asLong); }

    /** {@code account}: the account has described it, or only sent it. */
    public EventTypeSource source() { return read("source", EventTypeSource::of); }
}
