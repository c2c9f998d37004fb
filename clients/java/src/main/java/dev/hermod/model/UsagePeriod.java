// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

/** The calendar month in UTC. */
public class UsagePeriod extends Answer {
    /** Views an answer of the service. */
    public UsagePeriod(Json json) {
        super(json);
    }

    /** Exclusive. */
    public Instant end() { return read("end", Json::asInstant); }

    public Instant start() { return read("start", Json::asInstant); }
}
