// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum CodeLanguage {
    TS("ts"),
    PYTHON("python"),
    GO("go"),
    JAVA("java"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    CodeLanguage(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static CodeLanguage of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
