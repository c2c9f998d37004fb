// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class Job extends Answer {
    /** Views an answer of the service. */
    public Job(Json json) {
        super(json);
    }

    public @Nullable Instant completedAt() { return read("completed_at", Json::asInstant); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The reason of the failure, for people. */
    public @Nullable String failure() { return read("failure", Json::asText); }

    /** Begins with {@code job_}. */
    public String id() { return read("id", Json::asText); }

    public JobKind kind() { return read("kind", JobKind::of); }

    public JobProgress progress() { return read("progress", JobProgress::new); }

    public JobScope scope() { return read("scope", JobScope::new); }

    public JobStatus status() { return read("status", JobStatus::of); }
}
