// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class DeliveriesAhead extends Answer {
    /** Views an answer of the service. */
    public DeliveriesAhead(Json json) {
        super(json);
    }

    /** False if 1,000 deliveries were examined, so that there may be more. */
    public boolean complete() { return read("complete", Json::asBoolean); }

    public long count() { return read("count", Json::asLong); }
}
