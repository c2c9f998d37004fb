// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

/** Get the account's figures over time */
public final class GetStatsSeriesQuery extends Input {
    /** The beginning; a day before {@code to} by default. */
    public GetStatsSeriesQuery from(Instant from) { return with(this, "from", from); }

    /** The end; now by default. */
    public GetStatsSeriesQuery to(Instant to) { return with(this, "to", to); }

    /** The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as {@code 5m}, {@code 1h} or {@code 6h}, or whole days such as {@code 7d}. */
    public GetStatsSeriesQuery step(String step) { return with(this, "step", step); }
}
