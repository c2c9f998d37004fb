package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Duration;
import java.time.Instant;

/**
 * A webhook with a valid signature.
 *
 * @param id the delivery's id, the same for all its attempts; receivers recognise repeats by it
 * @param timestamp the time of this attempt
 * @param attempt the number of the attempt, from 1
 * @param sequence the delivery's number at its endpoint
 * @param data the payload
 */
public record VerifiedWebhook(
        String id,
        @Nullable String event,
        @Nullable String orderingKey,
        Instant timestamp,
        @Nullable Long attempt,
        @Nullable Long sequence,
        Json data) {
    /** What the sender's clock and the way may take, in both directions. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);
}
