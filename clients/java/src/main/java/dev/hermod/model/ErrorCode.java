// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Json;

public enum ErrorCode {
    BAD_REQUEST("BAD_REQUEST"),
    UNAUTHORIZED("UNAUTHORIZED"),
    FORBIDDEN("FORBIDDEN"),
    NOT_FOUND("NOT_FOUND"),
    METHOD_NOT_ALLOWED("METHOD_NOT_ALLOWED"),
    CONFLICT("CONFLICT"),
    PAYLOAD_TOO_LARGE("PAYLOAD_TOO_LARGE"),
    UNSUPPORTED_MEDIA_TYPE("UNSUPPORTED_MEDIA_TYPE"),
    MISDIRECTED("MISDIRECTED"),
    RATE_LIMIT_EXCEEDED("RATE_LIMIT_EXCEEDED"),
    INTERNAL_ERROR("INTERNAL_ERROR"),
    SERVICE_UNAVAILABLE("SERVICE_UNAVAILABLE"),
    CELL_UNAVAILABLE("CELL_UNAVAILABLE"),
    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    ErrorCode(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static ErrorCode of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
