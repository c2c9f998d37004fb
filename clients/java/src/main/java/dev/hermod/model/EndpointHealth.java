// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class EndpointHealth extends Answer {
    /** Views an answer of the service. */
    public EndpointHealth(Json json) {
        super(json);
    }

    public BlockingDelivery blockedBy() { return read("blocked_by", BlockingDelivery::new); }

    /** No delivery with a {@code sequence} up to this one is pending: each was delivered, failed or was cancelled. */
    public long completeUpTo() { return read("complete_up_to", Json::asLong); }

    /** Every attempt recorded since then has failed, whatever the state; null if the last one succeeded. */
    public @Nullable Instant failingSince() { return read("failing_since", Json::asInstant); }

    public FilterErrors filterErrors() { return read("filter_errors", FilterErrors::new); }

    public LastFailure lastFailure() { return read("last_failure", LastFailure::new); }

    /** The last request of the receiver of a pulled endpoint; null: there was none, or it is pushed. */
    public @Nullable Instant lastReadAt() { return read("last_read_at", Json::asInstant); }

    /** The last success, known within a minute; null: there was none. */
    public @Nullable Instant lastSuccessAt() { return read("last_success_at", Json::asInstant); }

    /** When the first of them was accepted; null if there is none. */
    public @Nullable Instant oldestPendingAt() { return read("oldest_pending_at", Json::asInstant); }

    /** Pending deliveries. */
    public long pending() { return read("pending", Json::asLong); }

    /** For a disabled endpoint: {@code failing}: every attempt failed for as long as HERMOD_DISABLE_AFTER. */
    public @Nullable String reason() { return read("reason", Json::asText); }

    /** When the endpoint entered this state; null while healthy. */
    public @Nullable Instant since() { return read("since", Json::asInstant); }

    /** {@code healthy}: the last attempt succeeded, or there was none. */
    public HealthState state() { return read("state", HealthState::of); }
}
