// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class UpdateAccount extends Input {
    /** Your own id, which must be unique. */
    public UpdateAccount externalId(@Nullable String externalId) { return with(this, "external_id", externalId); }

    public UpdateAccount name(String name) { return with(this, "name", name); }

    /** The name of a plan. */
    public UpdateAccount plan(String plan) { return with(this, "plan", plan); }
}
