// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;
import java.util.List;

public class Series extends Answer {
    /** Views an answer of the service. */
    public Series(Json json) {
        super(json);
    }

    public Instant from() { return read("from", Json::asInstant); }

    /** One for each step, at most 1500. */
    public List<SeriesPoint> points() { return list("points", SeriesPoint::new); }

    public long stepSeconds() { return read("step_seconds", Json::asLong); }

    public Instant to() { return read("to", Json::asInstant); }
}
