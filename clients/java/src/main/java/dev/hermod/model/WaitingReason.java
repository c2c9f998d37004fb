// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum WaitingReason {
    SCHEDULED("scheduled"),
    PAUSE("pause"),
    TURN("turn"),
    RETRY("retry"),
    REST("rest"),
    MAX_IN_FLIGHT("max_in_flight"),
    RATE_LIMIT("rate_limit"),
    RECEIVER("receiver"),
    ATTEMPT("attempt"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    WaitingReason(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static WaitingReason of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
