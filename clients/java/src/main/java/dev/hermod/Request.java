package dev.hermod;

import dev.hermod.json.Input;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A request of the API. */
final class Request {
    private static final Set<String> NUMBERED = Set.of("page", "per_page", "event");
    /** Lists that have another form without a limit. */
    private static final Set<String> WITH_LIMIT = Set.of("/v1/endpoints", "/v1/webhooks");

    final String method;
    final String route;
    private final String path;
    private final Map<String, @Nullable Object> query = new LinkedHashMap<>();
    @Nullable String body;
    @Nullable String key;
    /** True if it is safe to repeat although its method says otherwise. */
    boolean isRepeatable;
    /** The timeout beyond the one of the client, for a request that the service lets wait. */
    Duration patience = Duration.ZERO;

    private Request(String method, String route, String path) {
        this.method = method;
        this.route = route;
        this.path = path;
        // A repeated PATCH could overwrite another client's change, so the caller must repeat it.
        this.isRepeatable = !method.equals("POST") && !method.equals("PATCH");
    }

    /** Makes a request to a route with ids in place of the names in braces. */
    static Request of(String method, String route, String... ids) {
        var path = route;
        for (var id : ids) {
            int start = path.indexOf('{');
            int end = path.indexOf('}');
            path = path.substring(0, start) + segment(path.substring(start + 1, end), id) + path.substring(end + 1);
        }
        return new Request(method, route, path);
    }

    /** Returns the request for a page of the list that this request begins. */
    Request page(@Nullable String cursor) {
        var page = new Request(method, route, path).query(query);
        page.query.putIfAbsent("limit", 100);
        if (cursor != null) page.query.put("cursor", cursor);
        return page;
    }

    Request query(Input input) {
        return query(input.fields());
    }

    private Request query(Map<String, ?> fields) {
        query.putAll(fields);
        return this;
    }

    Request body(Input input) {
        body = Json.write(input);
        return this;
    }

    Request options(RequestOption... options) {
        for (var each : options) key(each.idempotencyKey);
        return this;
    }

    Request key(String key) {
        this.key = key;
        this.isRepeatable = true;
        return this;
    }

    /** Returns the path and the parameters. A map has a parameter for each of its entries. */
    String target() {
        var parameters = new LinkedHashMap<String, Object>();
        query.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map) map.forEach((inner, each) -> parameters.put(name + "." + inner, each));
            else if (value != null) parameters.put(name, value);
        });
        boolean isNumbered = parameters.keySet().stream().anyMatch(NUMBERED::contains);
        if (method.equals("GET") && WITH_LIMIT.contains(path) && !isNumbered) parameters.putIfAbsent("limit", 20);
        if (parameters.isEmpty()) return path;
        return parameters.entrySet().stream()
                .map(each -> escape(each.getKey()) + "=" + escape(String.valueOf(each.getValue())))
                .collect(Collectors.joining("&", path + "?", ""));
    }

    /** An empty segment and dots would lead to another path, such as a list (RFC 3986, 5.2.4). */
    private static String segment(String name, String id) {
        var bare = id.startsWith("~") ? id.substring(1) : id;
        if (Set.of("", ".", "..").contains(bare)) throw new IllegalArgumentException(name + " can't be \"" + id + "\"");
        return escape(id);
    }

    static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("%7E", "~");
    }
}
