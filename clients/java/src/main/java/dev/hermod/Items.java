package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The items of all pages of a list. Each page is read when it is needed; each iterator begins at the first one. */
public final class Items<T> implements Iterable<T> {
    private final Transport transport;
    private final Request first;
    private final Function<Json, T> of;

    Items(Transport transport, Request first, Function<Json, T> of) {
        this.transport = transport;
        this.first = first;
        this.of = of;
    }

    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    @Override
    public Iterator<T> iterator() {
        return new Pages();
    }

    private final class Pages implements Iterator<T> {
        private final Queue<Json> page = new ArrayDeque<>();
        private @Nullable String cursor;
        private boolean isLast = false;

        @Override
        public boolean hasNext() {
            while (page.isEmpty() && !isLast) {
                var read = transport.send(first.page(cursor));
                page.addAll(read.get("data").items());
                isLast = read.get("cursor").isNull();
                cursor = isLast ? null : read.get("cursor").asText();
            }
            return !page.isEmpty();
        }

        @Override
        public T next() {
            if (!hasNext()) throw new NoSuchElementException();
            return of.apply(page.remove());
        }
    }
}
