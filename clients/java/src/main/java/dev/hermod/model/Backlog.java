// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

public class Backlog extends Answer {
    /** Views an answer of the service. */
    public Backlog(Json json) {
        super(json);
    }

    public String endpointId() { return read("endpoint_id", Json::asText); }

    public ListedDelivery head() { return read("head", ListedDelivery::new); }

    /** True if the first of them has been pending for longer than 5 s, and for longer than 99 % of the attempts of the last hour took, unless the account set the endpoint inactive. */
    public boolean late() { return read("late", Json::asBoolean); }

    /** Its pending deliveries. */
    public long pending() { return read("pending", Json::asLong); }

    /** When the first of them was accepted, or due if it was scheduled. */
    public Instant since() { return read("since", Json::asInstant); }
}
