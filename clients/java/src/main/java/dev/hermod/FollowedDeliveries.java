package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import dev.hermod.model.ListedDelivery;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Deliveries as they are accepted, oldest first, without gaps. The loop has no end until {@link #close}, which any thread may call.
 * Iterate over it once.
 */
public final class FollowedDeliveries implements Iterable<ListedDelivery>, AutoCloseable {
    private final Transport transport;
    private final Request request;
    private final boolean withChanges;
    private volatile @Nullable EventStream stream;
    private volatile boolean isClosed = false;
    private @Nullable String lastId;
    private @Nullable ListedDelivery next;
    private int retries = 0;

    FollowedDeliveries(Transport transport, FollowQuery query) {
        this.transport = transport;
        this.request = Request.of("GET", "/v1/webhooks/tail").query(query);
        this.withChanges = query.changes;
    }

    @Override
    public Iterator<ListedDelivery> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                while (next == null && !isClosed) advance();
                return next != null;
            }

            @Override
            public ListedDelivery next() {
                if (!hasNext()) throw new NoSuchElementException();
                var delivery = next;
                next = null;
                return delivery;
            }
        };
    }

    /** Ends the loop. */
    @Override
    public void close() {
        isClosed = true;
        disconnect();
    }

    private void disconnect() {
        var open = stream;
        if (open != null) open.close();
        stream = null;
    }

    /** Reads an event, or connects again behind the last one. */
    private void advance() {
        try {
            var open = stream == null ? new EventStream(transport.open(request, lastId)) : stream;
            stream = open;
            var event = open.next();
            lastId = event.id();
            retries = 0;
            if (event.name().equals("delivery") || (withChanges && event.name().equals("update")))
                next = new ListedDelivery(Json.parse(event.data()));
        } catch (HermodException failure) {
            reconnect(failure);
        } catch (IOException broken) {
            reconnect(transport.unreachable(broken));
        }
    }

    private void reconnect(HermodException failure) {
        disconnect();
        if (!isClosed) transport.pauseAfter(failure, retries++, transport.options.maxRetries);
    }
}
