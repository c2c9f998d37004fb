package dev.hermod.json;

/** A text that is not JSON, or a value of another kind than asked for. */
public final class JsonException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    JsonException(String message) {
        super(message);
    }
}
