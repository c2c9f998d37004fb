// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class FilterTestItem extends Answer {
    /** Views an answer of the service. */
    public FilterTestItem(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The reason for which the filter fails. */
    public @Nullable String error() { return read("error", Json::asText); }

    public @Nullable String event() { return read("event", Json::asText); }

    /** An event, {@code evt_…}, or a webhook that was sent to the endpoint alone, {@code wh_…}. */
    public String id() { return read("id", Json::asText); }

    /** {@code match}: the endpoint would get it. */
    public FilterOutcome outcome() { return read("outcome", FilterOutcome::of); }
}
