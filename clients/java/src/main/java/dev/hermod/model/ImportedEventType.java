// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class ImportedEventType extends Answer {
    /** Views an answer of the service. */
    public ImportedEventType(Json json) {
        super(json);
    }

    public String eventType() { return read("event_type", Json::asText); }

    public ImportOutcome outcome() { return read("outcome", ImportOutcome::of); }

    /** The reason of the refusal. */
    public @Nullable String problem() { return read("problem", Json::asText); }

    public List<String> warnings() { return list("warnings", Json::asText); }
}
