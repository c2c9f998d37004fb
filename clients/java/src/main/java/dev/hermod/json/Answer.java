package dev.hermod.json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** An answer of the service: a view of its JSON, with a method for each field. */
public abstract class Answer {
    private final Json json;

    protected Answer(Json json) {
        this.json = json;
    }

    /** Returns the JSON with every digit of its numbers, and with fields that are newer than this client. */
    public final Json json() {
        return json;
    }

    protected final <T> @Nullable T read(String name, Function<Json, T> of) {
        var value = json.get(name);
        return value.isNull() ? null : of.apply(value);
    }

    protected final <T> @Nullable List<T> list(String name, Function<Json, T> of) {
        return read(name, value -> value.items().stream().map(of).toList());
    }

    protected final <T> @Nullable Map<String, T> map(String name, Function<Json, T> of) {
        return read(name, value -> {
            var values = new LinkedHashMap<String, T>();
            value.fields().forEach((key, inner) -> values.put(key, of.apply(inner)));
            return values;
        });
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Answer answer && getClass() == answer.getClass() && json.equals(answer.json);
    }

    @Override
    public final int hashCode() {
        return json.hashCode();
    }

    /** Returns the JSON. */
    @Override
    public final String toString() {
        return json.text();
    }
}
