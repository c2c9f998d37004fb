// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

/** Where the time went. */
public class AttemptTiming extends Answer {
    /** Views an answer of the service. */
    public AttemptTiming(Json json) {
        super(json);
    }

    /** The connection; null if one was open already, or none came about. */
    public @Nullable Long connectMs() { return read("connect_ms", Json::asLong); }

    /** From the first byte of the request to the first byte of the response. */
    public @Nullable Long firstByteMs() { return read("first_byte_ms", Json::asLong); }

    /** The look-up of the name; null if it was known, or the URL has an address. */
    public @Nullable Long lookupMs() { return read("lookup_ms", Json::asLong); }

    /** The TLS handshake; null without one. */
    public @Nullable Long tlsMs() { return read("tls_ms", Json::asLong); }
}
