package dev.hermod;

import dev.hermod.json.Json;
import java.util.function.Function;

/** What all resources share. */
abstract class Resource {
    final Transport transport;

    Resource(Transport transport) {
        this.transport = transport;
    }

    static Request request(String method, String route, String... ids) {
        return Request.of(method, route, ids);
    }

    <T> T call(Request request, Function<Json, T> of) {
        return of.apply(transport.send(request));
    }

    <T> Items<T> items(Request request, Function<Json, T> of) {
        return new Items<>(transport, request, of);
    }
}
