// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class RetriedEndpoint extends Answer {
    /** Views an answer of the service. */
    public RetriedEndpoint(Json json) {
        super(json);
    }

    public long retried() { return read("retried", Json::asLong); }
}
