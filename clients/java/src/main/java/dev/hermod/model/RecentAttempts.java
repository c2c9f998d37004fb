// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

/** Attempts of the last hour, of the 1000 most recently attempted deliveries. */
public class RecentAttempts extends Answer {
    /** Views an answer of the service. */
    public RecentAttempts(Json json) {
        super(json);
    }

    public long attempts() { return read("attempts", Json::asLong); }

    /** From the first of these attempts until now. */
    public double attemptsPerSecond() { return read("attempts_per_second", Json::asDouble); }

    public long delivered() { return read("delivered", Json::asLong); }

    public long deliveries() { return read("deliveries", Json::asLong); }

    public long failed() { return read("failed", Json::asLong); }

    public Latencies latencyMs() { return read("latency_ms", Latencies::new); }

    /** delivered / (delivered + failed) × 100; 0 if nothing was delivered or failed. */
    public double successRate() { return read("success_rate", Json::asDouble); }
}
