// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;
import java.util.Map;

public class HermodProcess extends Answer {
    /** Views an answer of the service. */
    public HermodProcess(Json json) {
        super(json);
    }

    /** CPU time used since it started. */
    public double cpuSeconds() { return read("cpu_seconds", Json::asDouble); }

    /** Its work at that moment, such as attempts under way and outcomes that wait to be recorded. */
    public Map<String, Double> figures() { return map("figures", Json::asDouble); }

    public String host() { return read("host", Json::asText); }

    public String id() { return read("id", Json::asText); }

    public long memoryBytes() { return read("memory_bytes", Json::asLong); }

    public long pid() { return read("pid", Json::asLong); }

    public ProcessRole role() { return read("role", ProcessRole::of); }

    /** When it last reported, which it does every 5 s. */
    public Instant seenAt() { return read("seen_at", Json::asInstant); }

    public Instant startedAt() { return read("started_at", Json::asInstant); }

    public String version() { return read("version", Json::asText); }
}
