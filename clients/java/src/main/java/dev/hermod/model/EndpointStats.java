// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class EndpointStats extends Answer {
    /** Views an answer of the service. */
    public EndpointStats(Json json) {
        super(json);
    }

    public AcceptedCounts accepted() { return read("accepted", AcceptedCounts::new); }

    /** When the oldest pending delivery was accepted. */
    public @Nullable Instant oldestPendingAt() { return read("oldest_pending_at", Json::asInstant); }

    /** Pending deliveries. */
    public long pending() { return read("pending", Json::asLong); }

    public RecentAttempts recent() { return read("recent", RecentAttempts::new); }
}
