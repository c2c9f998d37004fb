// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class ReceiveFailure extends Input {
    /** Why; the attempt shows it. */
    public ReceiveFailure error(String error) { return with(this, "error", error); }

    public ReceiveFailure id(String id) { return with(this, "id", id); }

    /** The least wait before the next attempt, in seconds. */
    public ReceiveFailure retryAfter(@Nullable Double retryAfter) { return with(this, "retry_after", retryAfter); }

    /** The least wait before the next attempt, in seconds. */
    public ReceiveFailure retryAfter(double retryAfter) { return with(this, "retry_after", retryAfter); }
}
