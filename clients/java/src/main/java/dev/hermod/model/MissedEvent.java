// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class MissedEvent extends Answer {
    /** Views an answer of the service. */
    public MissedEvent(Json json) {
        super(json);
    }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    /** The error of the endpoint's {@code filter}, as it is now, for this event. */
    public @Nullable String error() { return read("error", Json::asText); }

    /** {@code event_filter}: the endpoint's {@code event_filter} excludes the event. */
    public MissedReason reason() { return read("reason", MissedReason::of); }
}
