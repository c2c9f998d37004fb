// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

/** Why the delivery is not sent yet; present only while it is pending. */
public class WaitingFor extends Answer {
    /** Views an answer of the service. */
    public WaitingFor(Json json) {
        super(json);
    }

    /** Present with {@code receiver} once it has read the delivery. */
    public @Nullable Instant acknowledgeBy() { return read("acknowledge_by", Json::asInstant); }

    public @Nullable DeliveriesAhead ahead() { return read("ahead", DeliveriesAhead::new); }

    public @Nullable DeliveryInFront inFront() { return read("in_front", DeliveryInFront::new); }

    /** Present with {@code max_in_flight}. */
    public @Nullable Long maxInFlight() { return read("max_in_flight", Json::asLong); }

    /** The ordering key of both deliveries; null if they have none. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** Present with {@code rate_limit}. */
    public @Nullable Double rateLimit() { return read("rate_limit", Json::asDouble); }

    /** {@code scheduled}: it was sent with {@code deliver_after}, and is due at {@code until}. */
    public WaitingReason reason() { return read("reason", WaitingReason::of); }

    /** Present with {@code scheduled}, {@code retry} and {@code rest}. */
    public @Nullable Instant until() { return read("until", Json::asInstant); }
}
