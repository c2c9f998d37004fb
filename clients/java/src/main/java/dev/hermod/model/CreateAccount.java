// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class CreateAccount extends Input {
    /** Your own id, which must be unique. */
    public CreateAccount externalId(@Nullable String externalId) { return with(this, "external_id", externalId); }

    public CreateAccount name(String name) { return with(this, "name", name); }

    /** The name of a plan. */
    public CreateAccount plan(@Nullable String plan) { return with(this, "plan", plan); }
}
