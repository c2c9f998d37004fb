// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.time.Instant;

public final class FilterTest extends Input {
    /** Only events and webhooks created at or after this time. */
    public FilterTest after(@Nullable Instant after) { return with(this, "after", after); }

    /** Only events and webhooks created before this time. */
    public FilterTest before(@Nullable Instant before) { return with(this, "before", before); }

    /** A condition on events in [CEL](https://cel.dev), beside their type: {@code data.amount > 100 && data.customer == metadata.customer}. */
    public FilterTest filter(@Nullable String filter) { return with(this, "filter", filter); }
}
