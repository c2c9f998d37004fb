// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class ListedDelivery extends Answer {
    /** Views an answer of the service. */
    public ListedDelivery(Json json) {
        super(json);
    }

    public long attemptCount() { return read("attempt_count", Json::asLong); }

    /** Present only if cancelled. */
    public @Nullable CancelReason cancelReason() { return read("cancel_reason", CancelReason::of); }

    /** When it ended; null while pending. */
    public @Nullable Instant completedAt() { return read("completed_at", Json::asInstant); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION. */
    public @Nullable String failureReason() { return read("failure_reason", Json::asText); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    /** Present only while pending; null unless it waits for a retry. */
    public @Nullable Instant nextAttemptAt() { return read("next_attempt_at", Json::asInstant); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
    public @Nullable Long responseStatus() { return read("response_status", Json::asLong); }

    /** The delivery's number at its endpoint; null if the filter excluded it, or until it is due. */
    public @Nullable Long sequence() { return read("sequence", Json::asLong); }

    public DeliveryStatus status() { return read("status", DeliveryStatus::of); }

    public @Nullable WaitingFor waitingFor() { return read("waiting_for", WaitingFor::new); }
}
