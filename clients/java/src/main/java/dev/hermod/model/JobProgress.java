// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class JobProgress extends Answer {
    /** Views an answer of the service. */
    public JobProgress(Json json) {
        super(json);
    }

    /** Deliveries sent again; or deliveries and events whose payload was erased, including those that share it. */
    public long done() { return read("done", Json::asLong); }

    /** The number of them that the job has processed so far. */
    public long examined() { return read("examined", Json::asLong); }

    /** Deliveries in the range, of a {@code missing_replay} events and of an erasure of all endpoints both, counted when the job began. */
    public @Nullable Long total() { return read("total", Json::asLong); }
}
