// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;

public class Storage extends Answer {
    /** Views an answer of the service. */
    public Storage(Json json) {
        super(json);
    }

    /** The disk of all tables with their indexes. */
    public long bytes() { return read("bytes", Json::asLong); }

    /** The beginning of the oldest time range of deliveries that is kept; null before the first. */
    public @Nullable Instant oldestRangeAt() { return read("oldest_range_at", Json::asInstant); }

    /** The age of the oldest open transaction in the database, which keeps Postgres from reusing space. */
    public long oldestTransactionMs() { return read("oldest_transaction_ms", Json::asLong); }
}
