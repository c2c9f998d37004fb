// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum Permission {
    ENDPOINTS_READ("endpoints:read"),
    ENDPOINTS_WRITE("endpoints:write"),
    WEBHOOKS_READ("webhooks:read"),
    WEBHOOKS_WRITE("webhooks:write"),
    WEBHOOKS_RETRY("webhooks:retry"),
    EVENT_TYPES_WRITE("event-types:write"),
    STATS_READ("stats:read"),
    KEYS_WRITE("keys:write"),
    ACCOUNTS_ACT("accounts:act"),
    ADMIN("admin"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    Permission(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static Permission of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
