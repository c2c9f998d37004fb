// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class CodeFile extends Answer {
    /** Views an answer of the service. */
    public CodeFile(Json json) {
        super(json);
    }

    public String name() { return read("name", Json::asText); }

    public String text() { return read("text", Json::asText); }
}
