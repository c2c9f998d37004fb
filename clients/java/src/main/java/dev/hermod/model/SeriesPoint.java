// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.time.Instant;

public class SeriesPoint extends Answer {
    /** Views an answer of the service. */
    public SeriesPoint(Json json) {
        super(json);
    }

    /** Deliveries that got a sequence. */
    public long accepted() { return read("accepted", Json::asLong); }

    /** The beginning of the step. */
    public Instant at() { return read("at", Json::asInstant); }

    public AttemptCounts attempts() { return read("attempts", AttemptCounts::new); }

    /** Pending at the end of the step, without deliveries scheduled for later. */
    public long backlog() { return read("backlog", Json::asLong); }

    /** Cancelled while they were pending. */
    public long cancelled() { return read("cancelled", Json::asLong); }

    public long delivered() { return read("delivered", Json::asLong); }

    /** Delivered by the first attempt. */
    public long deliveredFirst() { return read("delivered_first", Json::asLong); }

    public Percentiles deliveryMs() { return read("delivery_ms", Percentiles::new); }

    public long failed() { return read("failed", Json::asLong); }

    public Percentiles receiverMs() { return read("receiver_ms", Percentiles::new); }
}
