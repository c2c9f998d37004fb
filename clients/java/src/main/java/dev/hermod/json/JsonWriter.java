package dev.hermod.json;

import java.time.Instant;
import java.util.Map;

/** Writes values of Java as JSON. */
final class JsonWriter {
    private final StringBuilder text = new StringBuilder();
    private int level = 0;

    JsonWriter write(@Nullable Object value) {
        if (value == null || value instanceof Boolean || value instanceof Json || value instanceof Answer) text.append(value);
        else if (value instanceof Number number) number(number);
        else if (value instanceof CharSequence || value instanceof Enum || value instanceof Instant) string(value.toString());
        else if (value instanceof Input input) fields(input.fields());
        else if (value instanceof Map<?, ?> map) fields(map);
        else if (value instanceof Iterable<?> items) items(items);
        else throw new JsonException("A " + value.getClass().getName() + " is no JSON; write it with a library, and give Json.parse(text)");
        return this;
    }

    private void number(Number number) {
        if (number instanceof Double || number instanceof Float) {
            if (!Double.isFinite(number.doubleValue())) throw new JsonException(number + " is no number of JSON");
        }
        text.append(number);
    }

    private void fields(Map<?, ?> fields) {
        open('{');
        var comma = "";
        for (var each : fields.entrySet()) {
            text.append(comma);
            string(String.valueOf(each.getKey()));
            text.append(':');
            write(each.getValue());
            comma = ",";
        }
        close('}');
    }

    private void items(Iterable<?> items) {
        open('[');
        var comma = "";
        for (var each : items) {
            text.append(comma);
            write(each);
            comma = ",";
        }
        close(']');
    }

    private void open(char bracket) {
        if (++level > Json.MOST_LEVELS) throw new JsonException("More than " + Json.MOST_LEVELS + " levels of values within each other");
        text.append(bracket);
    }

    private void close(char bracket) {
        level--;
        text.append(bracket);
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') text.append('\\').append(each);
            else if (each < ' ' || isAlone(value, i)) text.append(String.format("\\u%04x", (int) each));
            else text.append(each);
        }
        text.append('"');
    }

    /** Half of a surrogate pair has no form in UTF-8. */
    private static boolean isAlone(String value, int at) {
        char each = value.charAt(at);
        if (Character.isHighSurrogate(each)) return at + 1 == value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
        return Character.isLowSurrogate(each) && (at == 0 || !Character.isHighSurrogate(value.charAt(at - 1)));
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
