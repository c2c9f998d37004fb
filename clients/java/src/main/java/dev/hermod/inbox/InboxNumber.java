package dev.hermod.inbox;

import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

/** A number that arrived. It needs no work if its {@code body} is empty. */
record InboxNumber(long sequence, String id, @Nullable String orderingKey, @Nullable String event, String body, long tries) {
    static InboxNumber of(InboxEvent event) {
        return new InboxNumber(event.sequence(), event.id(), event.orderingKey(), event.event(), event.data().text(), 0);
    }

    boolean needsWork() {
        return !body.isEmpty();
    }

    InboxEvent toEvent() {
        return new InboxEvent(id, sequence, event, orderingKey, Json.parse(needsWork() ? body : "null"));
    }
}
