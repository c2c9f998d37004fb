// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

/** The answer that decided; null if nothing was sent. */
public class CertificationAnswer extends Answer {
    /** Views an answer of the service. */
    public CertificationAnswer(Json json) {
        super(json);
    }

    public long durationMs() { return read("duration_ms", Json::asLong); }

    /** As in an attempt. */
    public @Nullable String error() { return read("error", Json::asText); }

    /** As in an attempt. */
    public @Nullable String errorDetail() { return read("error_detail", Json::asText); }

    /** The redirect's target, which Hermod did not follow. */
    public @Nullable String location() { return read("location", Json::asText); }

    /** 0 if there was no response. */
    public long status() { return read("status", Json::asLong); }

    /** The TLS handshake; null without one. */
    public @Nullable Long tlsMs() { return read("tls_ms", Json::asLong); }
}
