// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class Latencies extends Answer {
    /** Views an answer of the service. */
    public Latencies(Json json) {
        super(json);
    }

    /** Half of the attempts took at most this long; null without attempts. */
    public @Nullable Long p50() { return read("p50", Json::asLong); }

    /** 90 % of the attempts took at most this long; null without attempts. */
    public @Nullable Long p90() { return read("p90", Json::asLong); }

    /** 99 % of the attempts took at most this long; null without attempts. */
    public @Nullable Long p99() { return read("p99", Json::asLong); }
}
