// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class Dependencies extends Answer {
    /** Views an answer of the service. */
    public Dependencies(Json json) {
        super(json);
    }

    /** Whether NATS answers this process. */
    public boolean nats() { return read("nats", Json::asBoolean); }

    /** How long it took to answer this request's statement. */
    public long postgresLatencyMs() { return read("postgres_latency_ms", Json::asLong); }

    public String postgresVersion() { return read("postgres_version", Json::asText); }
}
