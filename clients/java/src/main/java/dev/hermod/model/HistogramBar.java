// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

public class HistogramBar extends Answer {
    /** Views an answer of the service. */
    public HistogramBar(Json json) {
        super(json);
    }

    /** The beginning of the bar. */
    public Instant at() { return read("at", Json::asInstant); }

    public long cancelled() { return read("cancelled", Json::asLong); }

    public long delivered() { return read("delivered", Json::asLong); }

    public long failed() { return read("failed", Json::asLong); }

    public long pending() { return read("pending", Json::asLong); }
}
