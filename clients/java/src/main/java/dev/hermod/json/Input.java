package dev.hermod.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of a request. A field that is not set is left out, which keeps what the service has. A field that is set to null is
 * sent as null, which sets it back to its default.
 */
public abstract class Input {
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    /** Returns the fields that are set, by their names in the API. */
    public final Map<String, @Nullable Object> fields() {
        return Collections.unmodifiableMap(fields);
    }

    protected static <T extends Input> T with(T input, String name, @Nullable Object value) {
        ((Input) input).fields.put(name, value);
        return input;
    }

    /** Returns the fields as JSON. */
    @Override
    public final String toString() {
        return Json.write(this);
    }
}
