// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

/** Milliseconds, right to within a tenth; null if there were none. */
public class Percentiles extends Answer {
    /** Views an answer of the service. */
    public Percentiles(Json json) {
        super(json);
    }

    public long p50() { return read("p50", Json::asLong); }

    public long p95() { return read("p95", Json::asLong); }

    public long p99() { return read("p99", Json::asLong); }
}
