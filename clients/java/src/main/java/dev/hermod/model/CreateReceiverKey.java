// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class CreateReceiverKey extends Input {
    public CreateReceiverKey name(@Nullable String name) { return with(this, "name", name); }
}
