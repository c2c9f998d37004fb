package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.JsonException;
import dev.hermod.json.Nullable;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** The service refused a request, or failed. */
public final class RefusedException extends HermodException {
    private static final long serialVersionUID = 1;
    private static final Json NO_ERROR = Json.parse("{}");

    private final int status;
    private final @Nullable String code;
    private final @Nullable String requestId;
    private final @Nullable Duration retryAfter;

    private RefusedException(int status, Json error, HttpHeaders headers) {
        super(error.get("code").isNull() ? "The answer was HTTP " + status : error.get("message").text(), null);
        this.status = status;
        this.code = error.get("code").isNull() ? null : error.get("code").asText();
        this.requestId = headers.firstValue("x-request-id").orElse(null);
        this.retryAfter = headers.firstValue("retry-after").map(RefusedException::waitIn).orElse(null);
    }

    static RefusedException of(int status, String body, HttpHeaders headers) {
        return new RefusedException(status, errorIn(body), headers);
    }

    /** Returns the status of HTTP. */
    public int status() {
        return status;
    }

    /** Returns the error's code, such as {@code NOT_FOUND}; null if the answer came from another server, such as a proxy. */
    public @Nullable String code() {
        return code;
    }

    /** Returns the answer's {@code x-request-id}, by which the service's log shows the request. */
    public @Nullable String requestId() {
        return requestId;
    }

    /** Returns the time to wait before the next try; null if the service names none. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    private static Json errorIn(String body) {
        try {
            var error = Json.parse(body).get("error");
            error.get("code").asText();
            error.get("message").asText();
            return error;
        } catch (JsonException fromAnotherServer) {
            return NO_ERROR;
        }
    }

    /** Reads seconds or, as proxies often write, a date (RFC 9110, 10.2.3). */
    private static @Nullable Duration waitIn(String text) {
        try {
            if (text.length() < 10 && text.chars().allMatch(each -> each >= '0' && each <= '9'))
                return Duration.ofSeconds(Integer.parseInt(text));
            var wait = Duration.between(Instant.now(), DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from));
            return wait.isNegative() ? Duration.ZERO : wait;
        } catch (NumberFormatException | DateTimeParseException neither) {
            return null;
        }
    }
}
