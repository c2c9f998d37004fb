package dev.hermod.inbox;

import dev.hermod.json.Nullable;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** Settings of an inbox. */
public final class InboxOptions {
    final String endpoint;
    final List<String> secrets;
    String name;
    boolean isBatched = false;
    boolean isOrdered = false;
    long from = 1;
    @Nullable String catchUpUrl;
    @Nullable String catchUpKey;
    Duration catchUpAfter = Duration.ofSeconds(10);
    BiConsumer<Exception, @Nullable InboxEvent> onError = InboxOptions::log;

    /**
     * Names an endpoint. Several may share the table.
     *
     * @param endpoint the endpoint's id, {@code ep_…}
     * @param secrets the endpoint's signing secrets: several while one is being replaced
     */
    public InboxOptions(String endpoint, String... secrets) {
        this.endpoint = endpoint;
        this.secrets = List.of(secrets);
        this.name = endpoint;
    }

    /** The name of the inbox in the table: the endpoint's id by default. Another name begins anew. */
    public InboxOptions name(String name) {
        this.name = name;
        return this;
    }

    /** For an endpoint with a {@code batch_size} above 1. The work of a request's webhooks is done in one transaction. */
    public InboxOptions batched() {
        this.isBatched = true;
        return this;
    }

    /**
     * Does the work strictly by number. Webhooks that come early are stored. With ordering keys, webhooks of different keys don't
     * wait for each other.
     */
    public InboxOptions ordered() {
        this.isOrdered = true;
        return this;
    }

    /** With {@link #ordered}, the first number to do work for: 1 by default. Earlier ones are skipped. */
    public InboxOptions from(long from) {
        this.from = from;
        return this;
    }

    /** With {@link #ordered}, where to read numbers that don't arrive, with the receiver's key of the endpoint. */
    public InboxOptions catchUp(String url, String key) {
        this.catchUpUrl = url;
        this.catchUpKey = key;
        return this;
    }

    /** The time after which a missing number is read: 10 s by default. */
    public InboxOptions catchUpAfter(Duration catchUpAfter) {
        this.catchUpAfter = catchUpAfter;
        return this;
    }

    /** Learns of work that failed, with its event if it is known. Logs by default. */
    public InboxOptions onError(BiConsumer<Exception, @Nullable InboxEvent> onError) {
        this.onError = onError;
        return this;
    }

    private static void log(Exception failure, @Nullable InboxEvent event) {
        var id = event == null ? "" : " for " + event.id();
        System.getLogger(Inbox.class.getName()).log(Level.ERROR, "The inbox could not do its work" + id, failure);
    }
}
