// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class QueuePage extends Answer {
    /** Views an answer of the service. */
    public QueuePage(Json json) {
        super(json);
    }

    /** Send it as {@code cursor} to get the next page; null on the last page. */
    public @Nullable String cursor() { return read("cursor", Json::asText); }

    public List<ListedDelivery> data() { return list("data", ListedDelivery::new); }
}
