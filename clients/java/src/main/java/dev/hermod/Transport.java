package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.JsonException;
import dev.hermod.json.Nullable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TimeUnit;

/** Sends requests, and repeats those that are safe to repeat. */
final class Transport {
    final HermodOptions options;
    private final String origin;
    private final String key;
    private final HttpClient http;

    Transport(String url, String key, HermodOptions options) {
        var bare = URI.create(url);
        if (bare.getHost() == null || !("http".equals(bare.getScheme()) || "https".equals(bare.getScheme())))
            throw new IllegalArgumentException("url must begin with http:// or https://");
        if (key.isEmpty() || !key.chars().allMatch(each -> each > ' ' && each < 127))
            throw new IllegalArgumentException("key must be an API key or a JWT");
        this.origin = url.replaceFirst("/*(/v1)?/*$", "");
        this.key = key;
        this.options = options;
        this.http = options.httpClient != null
                ? options.httpClient
                : HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    Json send(Request request) {
        return send(keyed(request), options.maxRetries);
    }

    /** Repeats a request after 429, 502, 503, 504 and no answer. */
    Json send(Request request, int most) {
        for (int retries = 0; ; retries++) {
            try {
                return attempt(request);
            } catch (HermodException failure) {
                pauseAfter(failure, request.isRepeatable ? retries : most, most);
            }
        }
    }

    /** Waits before a retry. Throws the failure if there is none, or if the thread is interrupted. */
    void pauseAfter(HermodException failure, int retries, int most) {
        var wait = Retry.waitAfter(failure, retries, most);
        if (wait == null || !pause(wait)) throw failure;
    }

    /** Returns false if the thread is interrupted. */
    static boolean pause(Duration wait) {
        try {
            Thread.sleep(Math.max(0, wait.toMillis()));
            return true;
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Opens a stream of events behind the one with the given id. */
    InputStream open(Request request, @Nullable String lastEventId) {
        var given = requestOf(request).setHeader("accept", "text/event-stream");
        if (lastEventId != null) given.header("last-event-id", lastEventId);
        var answer = exchange(given.build(), BodyHandlers.ofInputStream(), options.timeout);
        if (answer.statusCode() == 200) return answer.body();
        try (var body = answer.body()) {
            throw RefusedException.of(answer.statusCode(), new String(body.readAllBytes(), StandardCharsets.UTF_8), answer.headers());
        } catch (IOException broken) {
            throw unreachable(broken);
        }
    }

    UnreachableException unreachable(Throwable cause) {
        return new UnreachableException(origin, cause.toString(), cause);
    }

    private Json attempt(Request request) {
        var answer = exchange(requestOf(request).build(), BodyHandlers.ofString(), options.timeout.plus(request.patience));
        if (answer.statusCode() / 100 != 2) throw RefusedException.of(answer.statusCode(), answer.body(), answer.headers());
        try {
            return Json.parse(answer.body());
        } catch (JsonException broken) {
            throw unreachable(broken);
        }
    }

    /** Limits the whole exchange, which the timeout of the request itself would not. */
    private <T> HttpResponse<T> exchange(HttpRequest request, BodyHandler<T> body, Duration timeout) {
        var answer = http.sendAsync(request, body);
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw unreachable(failure.getCause());
        } catch (TimeoutException late) {
            throw new UnreachableException(origin, "it took longer than " + timeout.toMillis() + " ms", late);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw unreachable(end);
        } finally {
            answer.cancel(true);
        }
    }

    private HttpRequest.Builder requestOf(Request request) {
        var body = request.body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(request.body);
        var made = HttpRequest.newBuilder(URI.create(origin + request.target()))
                .method(request.method, body)
                .header("accept", "application/json")
                .header("authorization", "Bearer " + key)
                .header("user-agent", "hermod-java/" + Version.TEXT);
        if (request.body != null) made.header("content-type", "application/json");
        if (request.key != null) made.header("idempotency-key", request.key);
        if (options.account != null) made.header("hermod-account", Request.escape(options.account));
        return made;
    }

    /** Gives a POST its Idempotency-Key, once for all its tries. */
    private Request keyed(Request request) {
        if (request.key != null) return request;
        if (request.method.equals("POST") && options.newIdempotencyKey != null) return request.key(options.newIdempotencyKey.get());
        // Without a key, a retry after a lost answer would change the new endpoint, and its secret would be lost.
        boolean makesSecret = request.method.equals("PUT") && request.route.equals("/v1/endpoints/{id}");
        return makesSecret ? request.key(UUID.randomUUID().toString()) : request;
    }
}
