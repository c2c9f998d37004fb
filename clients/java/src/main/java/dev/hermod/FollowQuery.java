package dev.hermod;

import dev.hermod.json.Input;
import dev.hermod.model.DeliveryStatus;
import java.util.Map;

/** Selects the deliveries to follow. */
public final class FollowQuery extends Input {
    boolean changes = false;

    /** The start: {@code now} (the default), {@code start} or the {@code iterator} of a list. */
    public FollowQuery start(String start) { return with(this, "iterator", start); }

    public FollowQuery status(DeliveryStatus status) { return with(this, "status", status); }

    public FollowQuery eventType(String eventType) { return with(this, "event_type", eventType); }

    public FollowQuery endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    /** Only deliveries with these values in the top-level fields of their payloads. */
    public FollowQuery data(Map<String, String> data) { return with(this, "data", data); }

    /** Yields a delivery again whenever it changes. */
    public FollowQuery changes(boolean changes) {
        this.changes = changes;
        return this;
    }
}
