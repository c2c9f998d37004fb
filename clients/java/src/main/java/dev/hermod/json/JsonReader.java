package dev.hermod.json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON (RFC 8259), once from the beginning of a text to its end. */
final class JsonReader {
    /** Stands for a number, whose text is kept instead. */
    enum Digits { IN_TEXT }

    private final String text;
    private int at = 0;

    JsonReader(String text) {
        this.text = text;
    }

    Json read() {
        skipSpace();
        var json = value(0);
        skipSpace();
        if (at < text.length()) throw unexpected();
        return json;
    }

    private Json value(int level) {
        if (level > Json.MOST_LEVELS) throw new JsonException("More than " + Json.MOST_LEVELS + " levels of JSON within each other");
        int start = at;
        var value = switch (peek()) {
            case '{' -> object(level + 1);
            case '[' -> list(level + 1);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
        return new Json(text, start, at, value);
    }

    private Map<String, Json> object(int level) {
        var fields = new LinkedHashMap<String, Json>();
        at++;
        skipSpace();
        if (skip('}')) return fields;
        do {
            skipSpace();
            if (peek() != '"') throw unexpected();
            var name = string();
            skipSpace();
            expect(':');
            skipSpace();
            fields.put(name, value(level));
            skipSpace();
        } while (skip(','));
        expect('}');
        return Collections.unmodifiableMap(fields);
    }

    private List<Json> list(int level) {
        var items = new ArrayList<Json>();
        at++;
        skipSpace();
        if (skip(']')) return items;
        do {
            skipSpace();
            items.add(value(level));
            skipSpace();
        } while (skip(','));
        expect(']');
        return Collections.unmodifiableList(items);
    }

    private String string() {
        int start = ++at;
        while (peek() != '"' && peek() != '\\') character();
        if (peek() == '"') return text.substring(start, at++);
        var read = new StringBuilder(text.substring(start, at));
        while (peek() != '"') read.append(peek() == '\\' ? escape() : character());
        at++;
        return read.toString();
    }

    private char character() {
        if (peek() < ' ') throw unexpected();
        return text.charAt(at++);
    }

    private char escape() {
        at++;
        char letter = peek();
        int known = "\"\\/bfnrt".indexOf(letter);
        if (known == -1 && letter != 'u') throw unexpected();
        at++;
        return known == -1 ? unicode() : "\"\\/\b\f\n\r\t".charAt(known);
    }

    private char unicode() {
        int code = 0;
        for (int digits = 0; digits < 4; digits++) {
            int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
            if (digit == -1) throw unexpected();
            code = code * 16 + digit;
            at++;
        }
        return (char) code;
    }

    private <T> @Nullable T word(String word, @Nullable T value) {
        if (!text.startsWith(word, at)) throw unexpected();
        at += word.length();
        return value;
    }

    private Digits number() {
        skip('-');
        if (!skip('0')) digits();
        if (skip('.')) digits();
        if (skip('e') || skip('E')) {
            if (!skip('+')) skip('-');
            digits();
        }
        return Digits.IN_TEXT;
    }

    private void digits() {
        if (!isDigit()) throw unexpected();
        while (isDigit()) at++;
    }

    private boolean isDigit() {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) != -1) at++;
    }

    private boolean skip(char wanted) {
        if (at == text.length() || text.charAt(at) != wanted) return false;
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!skip(wanted)) throw unexpected();
    }

    private char peek() {
        if (at == text.length()) throw unexpected();
        return text.charAt(at);
    }

    private JsonException unexpected() {
        return new JsonException(at == text.length() ? "The JSON breaks off" : "The text is not JSON at character " + (at + 1));
    }
}
