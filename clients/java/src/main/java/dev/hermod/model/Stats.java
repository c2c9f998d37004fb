// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class Stats extends Answer {
    /** Views an answer of the service. */
    public Stats(Json json) {
        super(json);
    }

    public long delivered() { return read("delivered", Json::asLong); }

    public long endpointsCount() { return read("endpoints_count", Json::asLong); }

    public long failed() { return read("failed", Json::asLong); }

    public long pending() { return read("pending", Json::asLong); }

    /** delivered / (delivered + failed) × 100, with two decimals; 0 if nothing was delivered or failed. */
    public double successRate() { return read("success_rate", Json::asDouble); }

    /** All stored deliveries, including cancelled ones. */
    public long totalDeliveries() { return read("total_deliveries", Json::asLong); }
}
