// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class StuckOrders extends Answer {
    /** Views an answer of the service. */
    public StuckOrders(Json json) {
        super(json);
    }

    /** False if the endpoint has more than 10,000 pending deliveries. */
    public boolean complete() { return read("complete", Json::asBoolean); }

    public List<StuckOrder> data() { return list("data", StuckOrder::new); }
}
