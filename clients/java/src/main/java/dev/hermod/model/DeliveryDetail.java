// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;

public class DeliveryDetail extends Answer {
    /** Views an answer of the service. */
    public DeliveryDetail(Json json) {
        super(json);
    }

    public long attemptCount() { return read("attempt_count", Json::asLong); }

    public List<Attempt> attempts() { return list("attempts", Attempt::new); }

    /** The number of deliveries behind it in its order; that or more unless {@code behind_complete}. */
    public @Nullable Long behind() { return read("behind", Json::asLong); }

    /** False if 1,000 deliveries behind it were examined, so that there may be more. */
    public @Nullable Boolean behindComplete() { return read("behind_complete", Json::asBoolean); }

    /** Present only if cancelled. */
    public @Nullable CancelReason cancelReason() { return read("cancel_reason", CancelReason::of); }

    public @Nullable Instant completedAt() { return read("completed_at", Json::asInstant); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The payload; null once it is erased ({@code erased_at}). */
    public Json data() { return json().get("data"); }

    /** When it is, or was, due. */
    public @Nullable Instant deliverAfter() { return read("deliver_after", Json::asInstant); }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    /** When the payload was erased; present only if it was. */
    public @Nullable Instant erasedAt() { return read("erased_at", Json::asInstant); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION. */
    public @Nullable String failureReason() { return read("failure_reason", Json::asText); }

    /** Begins with {@code wh_}. */
    public String id() { return read("id", Json::asText); }

    public @Nullable Instant nextAttemptAt() { return read("next_attempt_at", Json::asInstant); }

    /** The id of the event of the delivery or its original; begins with {@code evt_}. */
    public @Nullable String ofEvent() { return read("of_event", Json::asText); }

    /** Present only if the sender gave one. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** Its place in its order, 1 for the first; that or further back unless {@code place_complete}. */
    public @Nullable Long place() { return read("place", Json::asLong); }

    /** False if 1,000 deliveries in front were examined, so that there may be more. */
    public @Nullable Boolean placeComplete() { return read("place_complete", Json::asBoolean); }

    /** The id of the original delivery, if this one resends it. */
    public @Nullable String replayOf() { return read("replay_of", Json::asText); }

    /** The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt. */
    public @Nullable Long responseStatus() { return read("response_status", Json::asLong); }

    /** The delivery's number at its endpoint; null if the filter excluded it, or until it is due. */
    public @Nullable Long sequence() { return read("sequence", Json::asLong); }

    public DeliveryStatus status() { return read("status", DeliveryStatus::of); }

    public @Nullable WaitingFor waitingFor() { return read("waiting_for", WaitingFor::new); }
}
