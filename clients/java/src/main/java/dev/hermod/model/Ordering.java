// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum Ordering {
    ORDERED("ordered"),
    BY_KEY("by_key"),
    UNORDERED("unordered"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    Ordering(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static Ordering of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
