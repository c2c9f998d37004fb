// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class Usage extends Answer {
    /** Views an answer of the service. */
    public Usage(Json json) {
        super(json);
    }

    public UsagePeriod period() { return read("period", UsagePeriod::new); }

    public String plan() { return read("plan", Json::asText); }

    /** Null means no limit. */
    public @Nullable Long requestsPerMinute() { return read("requests_per_minute", Json::asLong); }

    public UsedWebhooks webhooks() { return read("webhooks", UsedWebhooks::new); }
}
