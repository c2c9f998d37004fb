// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

/** Attempts by the class of their answer; {@code none}: there was no HTTP response. */
public class AttemptCounts extends Answer {
    /** Views an answer of the service. */
    public AttemptCounts(Json json) {
        super(json);
    }

    public long n1xx() { return read("1xx", Json::asLong); }

    public long n2xx() { return read("2xx", Json::asLong); }

    public long n3xx() { return read("3xx", Json::asLong); }

    public long n4xx() { return read("4xx", Json::asLong); }

    public long n5xx() { return read("5xx", Json::asLong); }

    public long none() { return read("none", Json::asLong); }

    public long other() { return read("other", Json::asLong); }
}
