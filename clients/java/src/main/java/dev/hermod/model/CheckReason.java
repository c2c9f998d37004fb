// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum CheckReason {
    REFUSED("refused"),
    REDIRECTED("redirected"),
    UNANSWERED("unanswered"),
    ACCEPTED("accepted"),
    CRASHED("crashed"),
    SLOW("slow"),
    PLAIN_HTTP("plain_http"),
    NOT_TRUSTED("not_trusted"),
    AFTER_FAILURE("after_failure"),
    OUT_OF_TIME("out_of_time"),
    NO_DELIVERIES("no_deliveries"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    CheckReason(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static CheckReason of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
