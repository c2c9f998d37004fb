// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class WebhookResult extends Answer {
    /** Views an answer of the service. */
    public WebhookResult(Json json) {
        super(json);
    }

    public @Nullable ErrorDetail error() { return read("error", ErrorDetail::new); }

    /** The HTTP status that the item would have got in a request of its own. */
    public long status() { return read("status", Json::asLong); }

    public @Nullable AcceptedDelivery webhook() { return read("webhook", AcceptedDelivery::new); }
}
