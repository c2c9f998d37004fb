// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class ReceivedPage extends Answer {
    /** Views an answer of the service. */
    public ReceivedPage(Json json) {
        super(json);
    }

    public List<ReceivedWebhook> data() { return list("data", ReceivedWebhook::new); }

    /** Acknowledges the page; null if it is empty. */
    public @Nullable String receipt() { return read("receipt", Json::asText); }
}
