// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class ErasedPayload extends Answer {
    /** Views an answer of the service. */
    public ErasedPayload(Json json) {
        super(json);
    }

    public boolean erased() { return read("erased", Json::asBoolean); }
}
