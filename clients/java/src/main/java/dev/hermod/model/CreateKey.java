// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;

public final class CreateKey extends Input {
    /** When the key expires (ISO 8601). */
    public CreateKey expiresAt(@Nullable Instant expiresAt) { return with(this, "expires_at", expiresAt); }

    public CreateKey name(@Nullable String name) { return with(this, "name", name); }

    /** The key's permissions. */
    public CreateKey permissions(List<Permission> permissions) { return with(this, "permissions", permissions); }
}
