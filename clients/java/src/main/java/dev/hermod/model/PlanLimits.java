// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class PlanLimits extends Input {
    /** Null means no limit. */
    public PlanLimits requestsPerMinute(@Nullable Long requestsPerMinute) { return with(this, "requests_per_minute", requestsPerMinute); }

    /** Null means no limit. */
    public PlanLimits requestsPerMinute(long requestsPerMinute) { return with(this, "requests_per_minute", requestsPerMinute); }

    /** Null means no limit. */
    public PlanLimits webhooksPerMonth(@Nullable Long webhooksPerMonth) { return with(this, "webhooks_per_month", webhooksPerMonth); }

    /** Null means no limit. */
    public PlanLimits webhooksPerMonth(long webhooksPerMonth) { return with(this, "webhooks_per_month", webhooksPerMonth); }
}
