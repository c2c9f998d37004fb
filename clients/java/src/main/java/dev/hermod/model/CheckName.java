// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum CheckName {
    VALID("valid"),
    FORGED("forged"),
    UNSIGNED("unsigned"),
    OLD_TIMESTAMP("old_timestamp"),
    DUPLICATE("duplicate"),
    EXACT_BYTES("exact_bytes"),
    UNKNOWN_TYPE("unknown_type"),
    LARGE("large"),
    OUT_OF_ORDER("out_of_order"),
    SPEED("speed"),
    TLS("tls"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    CheckName(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static CheckName of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
