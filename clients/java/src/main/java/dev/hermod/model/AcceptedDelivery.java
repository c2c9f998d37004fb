// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class AcceptedDelivery extends Answer {
    /** Views an answer of the service. */
    public AcceptedDelivery(Json json) {
        super(json);
    }

    public long attemptCount() { return read("attempt_count", Json::asLong); }

    /** Present only if cancelled. */
    public @Nullable CancelReason cancelReason() { return read("cancel_reason", CancelReason::of); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** When it is, or was, due. */
    public @Nullable Instant deliverAfter() { return read("deliver_after", Json::asInstant); }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION. */
    public @Nullable String failureReason() { return read("failure_reason", Json::asText); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    public DeliveryStatus status() { return read("status", DeliveryStatus::of); }
}
