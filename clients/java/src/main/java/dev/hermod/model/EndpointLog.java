// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class EndpointLog extends Answer {
    /** Views an answer of the service. */
    public EndpointLog(Json json) {
        super(json);
    }

    /** Every delivery up to this number has ended. */
    public long completeUpTo() { return read("complete_up_to", Json::asLong); }

    /** Each number in order, without a gap. */
    public List<NumberFate> data() { return list("data", NumberFate::new); }

    /** Changes if numbers may come again, since Postgres was restored from a backup or a standby took over. */
    public @Nullable String epoch() { return read("epoch", Json::asText); }

    /** The {@code from} of the next page. */
    public long nextFrom() { return read("next_from", Json::asLong); }
}
