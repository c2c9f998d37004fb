// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class AddressVerdict extends Answer {
    /** Views an answer of the service. */
    public AddressVerdict(Json json) {
        super(json);
    }

    /** Null if an attempt could connect. */
    public @Nullable AddressError error() { return read("error", AddressError::of); }

    /** The problem, in words. */
    public @Nullable String message() { return read("message", Json::asText); }

    /** The form in which it would be stored; null if it would be refused. */
    public @Nullable String url() { return read("url", Json::asText); }
}
