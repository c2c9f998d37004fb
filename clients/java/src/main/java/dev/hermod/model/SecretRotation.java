// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class SecretRotation extends Input {
    /** How long the replaced secret also signs, in seconds. */
    public SecretRotation overlap(@Nullable Long overlap) { return with(this, "overlap", overlap); }

    /** How long the replaced secret also signs, in seconds. */
    public SecretRotation overlap(long overlap) { return with(this, "overlap", overlap); }

    /** A secret that the receiver already has, for example when you migrate to Hermod: {@code whsec_} and the base64 (with padding) of 24 to 64 random bytes. */
    public SecretRotation signingSecret(@Nullable String signingSecret) { return with(this, "signing_secret", signingSecret); }
}
