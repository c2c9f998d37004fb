// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

public class WebhookSummary extends Answer {
    /** Views an answer of the service. */
    public WebhookSummary(Json json) {
        super(json);
    }

    /** The number of deliveries by their last HTTP status; {@code 0} for no HTTP response. */
    public Map<String, Long> answers() { return map("answers", Json::asLong); }

    /** The length of a bar. */
    public long barSeconds() { return read("bar_seconds", Json::asLong); }

    /** The counted deliveries by the time at which they were accepted, oldest first, without gaps. */
    public List<HistogramBar> bars() { return list("bars", HistogramBar::new); }

    /** False if the second was over too early: older deliveries are not counted. */
    public boolean complete() { return read("complete", Json::asBoolean); }

    /** When the newest counted delivery was accepted. */
    public @Nullable Instant newestAt() { return read("newest_at", Json::asInstant); }

    /** When the oldest counted delivery was accepted. */
    public @Nullable Instant oldestAt() { return read("oldest_at", Json::asInstant); }

    public StatusCounts statuses() { return read("statuses", StatusCounts::new); }

    public long total() { return read("total", Json::asLong); }
}
