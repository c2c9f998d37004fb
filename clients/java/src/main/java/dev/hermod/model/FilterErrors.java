// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

/** Events and webhooks that the endpoint's filter excluded because it failed; null if it has not since it was changed, or HERMOD_RETENTION has passed since. */
public class FilterErrors extends Answer {
    /** Views an answer of the service. */
    public FilterErrors(Json json) {
        super(json);
    }

    /** Events and webhooks that it excluded since then because it failed. */
    public long count() { return read("count", Json::asLong); }

    /** The last of these events. */
    public @Nullable String eventId() { return read("event_id", Json::asText); }

    public Instant lastAt() { return read("last_at", Json::asInstant); }

    /** It may quote the payload: null once that is erased, and in a portal session without {@code view_payloads}. */
    public @Nullable String lastError() { return read("last_error", Json::asText); }

    /** When the filter failed first since it was changed. */
    public Instant since() { return read("since", Json::asInstant); }

    /** Instead of {@code event_id} if it was sent to the endpoint alone. */
    public @Nullable String webhookId() { return read("webhook_id", Json::asText); }
}
