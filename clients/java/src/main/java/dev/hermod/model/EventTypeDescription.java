// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class EventTypeDescription extends Input {
    /** True if receivers should no longer use it. */
    public EventTypeDescription deprecated(@Nullable Boolean deprecated) { return with(this, "deprecated", deprecated); }

    public EventTypeDescription description(@Nullable String description) { return with(this, "description", description); }

    /** A payload, at most 16,384 bytes. */
    public EventTypeDescription example(@Nullable Object example) { return with(this, "example", example); }

    /** A group for lists, such as {@code Orders}. */
    public EventTypeDescription group(@Nullable String group) { return with(this, "group", group); }
}
