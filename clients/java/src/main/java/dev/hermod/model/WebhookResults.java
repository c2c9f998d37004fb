// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class WebhookResults extends Answer {
    /** Views an answer of the service. */
    public WebhookResults(Json json) {
        super(json);
    }

    /** In the order of the items. */
    public List<WebhookResult> results() { return list("results", WebhookResult::new); }
}
