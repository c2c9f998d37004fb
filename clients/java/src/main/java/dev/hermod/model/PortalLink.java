// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

public class PortalLink extends Answer {
    /** Views an answer of the service. */
    public PortalLink(Json json) {
        super(json);
    }

    /** The account that it leads to; begins with {@code acc_}. */
    public String accountId() { return read("account_id", Json::asText); }

    /** When the link can't be opened any more. */
    public Instant expiresAt() { return read("expires_at", Json::asInstant); }

    /** The session's id, begins with {@code ses_}. */
    public String id() { return read("id", Json::asText); }

    /** Open it once, in the customer's browser. */
    public String url() { return read("url", Json::asText); }
}
