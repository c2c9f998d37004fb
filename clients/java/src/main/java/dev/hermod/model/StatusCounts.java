// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class StatusCounts extends Answer {
    /** Views an answer of the service. */
    public StatusCounts(Json json) {
        super(json);
    }

    public long cancelled() { return read("cancelled", Json::asLong); }

    public long delivered() { return read("delivered", Json::asLong); }

    public long failed() { return read("failed", Json::asLong); }

    public long pending() { return read("pending", Json::asLong); }
}
