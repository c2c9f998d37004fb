// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

public final class UpdateKey extends Input {
    public UpdateKey isActive(boolean isActive) { return with(this, "is_active", isActive); }
}
