// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

/** Get figures over time of all accounts */
public final class GetAllStatsSeriesQuery extends Input {
    /** The beginning; a day before {@code to} by default. */
    public GetAllStatsSeriesQuery from(Instant from) { return with(this, "from", from); }

    /** The end; now by default. */
    public GetAllStatsSeriesQuery to(Instant to) { return with(this, "to", to); }

    /** The length of a step, counted from midnight UTC: minutes or hours that divide a day, such as {@code 5m}, {@code 1h} or {@code 6h}, or whole days such as {@code 7d}. */
    public GetAllStatsSeriesQuery step(String step) { return with(this, "step", step); }

    /** Only this account, by its id or its external id. */
    public GetAllStatsSeriesQuery account(String account) { return with(this, "account", account); }
}
