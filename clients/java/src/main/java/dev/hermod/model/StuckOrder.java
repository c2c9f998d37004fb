// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class StuckOrder extends Answer {
    /** Views an answer of the service. */
    public StuckOrder(Json json) {
        super(json);
    }

    public ListedDelivery head() { return read("head", ListedDelivery::new); }

    /** Null for the deliveries without a key, and for the one order of an endpoint that is {@code ordered}. */
    public @Nullable String orderingKey() { return read("ordering_key", Json::asText); }

    /** The pending deliveries of the order, {@code head} included. */
    public long pending() { return read("pending", Json::asLong); }
}
