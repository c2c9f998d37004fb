// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum RequestedCapability {
    VIEW("view"),
    MANAGE_ENDPOINTS("manage_endpoints"),
    RETRY("retry"),
    VIEW_PAYLOADS("view_payloads"),
    TEST("test"),
    ENDPOINTS("endpoints"),
    PAYLOADS("payloads"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    RequestedCapability(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static RequestedCapability of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
