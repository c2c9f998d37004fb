// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum BodyFormat {
    PAYLOAD("payload"),
    ENVELOPE("envelope"),
    CLOUDEVENTS("cloudevents"),
    CLOUDEVENTS_BINARY("cloudevents_binary"),
    SLACK("slack"),
    TEAMS("teams"),
    EMAIL("email"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    BodyFormat(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static BodyFormat of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
