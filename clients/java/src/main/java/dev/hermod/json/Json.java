package dev.hermod.json;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/** A JSON value with its exact text: every digit of its numbers, the order of its fields, and its escapes. */
public final class Json {
    /** Most levels of lists and objects within each other, four times what the service takes. */
    public static final int MOST_LEVELS = 512;
    /** Most characters of a number that is converted to a {@code BigDecimal}, whose cost grows faster than its length. */
    public static final int MOST_DIGITS = 1_000;

    private static final Json NULL = parse("null");

    private final String source;
    private final int start;
    private final int end;
    /** A {@code Map}, {@code List}, {@code String}, {@code Boolean}, {@code Digits} or null. */
    private final @Nullable Object value;

    Json(String source, int start, int end, @Nullable Object value) {
        this.source = source;
        this.start = start;
        this.end = end;
        this.value = value;
    }

    /** Reads a text. A request sends the value as the text has it. */
    public static Json parse(String text) {
        return new JsonReader(text).read();
    }

    /**
     * Writes null, texts, numbers, booleans, enums, times, maps, lists, inputs, answers and JSON values. Values of your own classes
     * need a library: {@code Json.parse(mapper.writeValueAsString(order))}.
     */
    public static String write(@Nullable Object value) {
        return new JsonWriter().write(value).toString();
    }

    /** Returns the text as it arrived. */
    public String text() {
        return source.substring(start, end);
    }

    public boolean isNull() {
        return value == null;
    }

    /** Returns a field of an object; JSON's null if it has none. */
    public Json get(String name) {
        return fields().getOrDefault(name, NULL);
    }

    /** Returns the fields of an object, in its order. */
    @SuppressWarnings("unchecked")
    public Map<String, Json> fields() {
        return (Map<String, Json>) as(Map.class, "an object");
    }

    /** Returns the items of a list. */
    @SuppressWarnings("unchecked")
    public List<Json> items() {
        return (List<Json>) as(List.class, "a list");
    }

    public String asText() {
        return as(String.class, "a text");
    }

    public boolean asBoolean() {
        return as(Boolean.class, "true or false");
    }

    public long asLong() {
        try {
            return Long.parseLong(number());
        } catch (NumberFormatException tooLarge) {
            throw new JsonException("The number is no long: " + excerpt());
        }
    }

    public double asDouble() {
        return Double.parseDouble(number());
    }

    /** Returns a number with every digit. */
    public BigDecimal asBigDecimal() {
        if (number().length() > MOST_DIGITS) throw new JsonException("The number has more than " + MOST_DIGITS + " digits");
        try {
            return new BigDecimal(number());
        } catch (NumberFormatException tooLarge) {
            throw new JsonException("The exponent is no int: " + excerpt());
        }
    }

    public Instant asInstant() {
        try {
            return OffsetDateTime.parse(asText()).toInstant();
        } catch (DateTimeException wrong) {
            throw new JsonException("The text is no time: " + excerpt());
        }
    }

    private String number() {
        as(JsonReader.Digits.class, "a number");
        return text();
    }

    private <T> T as(Class<T> kind, String name) {
        if (kind.isInstance(value)) return kind.cast(value);
        throw new JsonException("The value is not " + name + ": " + excerpt());
    }

    private String excerpt() {
        return end - start > 40 ? source.substring(start, start + 40) + "…" : text();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Json json && text().equals(json.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    /** Returns the text as it arrived. */
    @Override
    public String toString() {
        return text();
    }
}
