// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum AttemptError {
    TIMEOUT("timeout"),
    INVALID_URL("invalid_url"),
    HTTPS_REQUIRED("https_required"),
    BLOCKED_ADDRESS("blocked_address"),
    DNS("dns"),
    CONNECTION_REFUSED("connection_refused"),
    CONNECTION_RESET("connection_reset"),
    CONNECTION_FAILED("connection_failed"),
    TLS("tls"),
    PROXY("proxy"),
    MAIL_SERVER("mail_server"),
    PROTOCOL("protocol"),
    RESPONSE_TOO_LARGE("response_too_large"),
    FORGERY_ACCEPTED("forgery_accepted"),
    RECEIVER_FAILED("receiver_failed"),
    LEASE_EXPIRED("lease_expired"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    AttemptError(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static AttemptError of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
