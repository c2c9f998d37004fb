// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class ErrorDetail extends Answer {
    /** Views an answer of the service. */
    public ErrorDetail(Json json) {
        super(json);
    }

    public ErrorCode code() { return read("code", ErrorCode::of); }

    /** Explains the error to people. */
    public String message() { return read("message", Json::asText); }
}
