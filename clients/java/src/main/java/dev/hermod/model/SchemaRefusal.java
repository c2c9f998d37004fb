// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

public class SchemaRefusal extends Answer {
    /** Views an answer of the service. */
    public SchemaRefusal(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The event, {@code evt_…}, or the webhook, {@code wh_…}. */
    public String id() { return read("id", Json::asText); }

    /** The mismatch of the payload with the schema. */
    public String problem() { return read("problem", Json::asText); }
}
