// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class TestEvent extends Input {
    /** The payload to send instead of the sample. */
    public TestEvent data(@Nullable Object data) { return with(this, "data", data); }

    /** Sends the {@code example} of this event type instead of the sample. */
    public TestEvent event(@Nullable String event) { return with(this, "event", event); }

    /** Signs with a wrong secret, to see that the receiver refuses it. */
    public TestEvent forged(@Nullable Boolean forged) { return with(this, "forged", forged); }

    /** Groups deliveries, for example by a customer's id. */
    public TestEvent orderingKey(@Nullable String orderingKey) { return with(this, "ordering_key", orderingKey); }
}
