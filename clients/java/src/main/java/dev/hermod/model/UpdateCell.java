// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

public final class UpdateCell extends Input {
    public UpdateCell acceptsAccounts(boolean acceptsAccounts) { return with(this, "accepts_accounts", acceptsAccounts); }
}
