// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

/** Deliveries accepted for the endpoint. */
public class AcceptedCounts extends Answer {
    /** Views an answer of the service. */
    public AcceptedCounts(Json json) {
        super(json);
    }

    public long lastDay() { return read("last_day", Json::asLong); }

    public long lastHour() { return read("last_hour", Json::asLong); }

    public long lastMinute() { return read("last_minute", Json::asLong); }
}
