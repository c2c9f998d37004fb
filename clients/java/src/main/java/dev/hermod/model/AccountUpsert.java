// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

public final class AccountUpsert extends Input {
    public AccountUpsert name(String name) { return with(this, "name", name); }

    /** The name of a plan. */
    public AccountUpsert plan(String plan) { return with(this, "plan", plan); }
}
