// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;
import java.util.List;

public class Certification extends Answer {
    /** Views an answer of the service. */
    public Certification(Json json) {
        super(json);
    }

    /** Always all checks, in the same order. */
    public List<CertificationCheck> checks() { return list("checks", CertificationCheck::new); }

    public long durationMs() { return read("duration_ms", Json::asLong); }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    /** {@code failed} if a check failed, else {@code warning} if one has a warning, else {@code passed}. */
    public CheckOutcome outcome() { return read("outcome", CheckOutcome::of); }

    public Instant startedAt() { return read("started_at", Json::asInstant); }
}
