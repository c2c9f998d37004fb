// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class Deleted extends Answer {
    /** Views an answer of the service. */
    public Deleted(Json json) {
        super(json);
    }

    public boolean deleted() { return read("deleted", Json::asBoolean); }
}
