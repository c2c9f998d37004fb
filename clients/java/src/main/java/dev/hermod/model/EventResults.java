// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class EventResults extends Answer {
    /** Views an answer of the service. */
    public EventResults(Json json) {
        super(json);
    }

    /** In the order of the items. */
    public List<EventResult> results() { return list("results", EventResult::new); }
}
