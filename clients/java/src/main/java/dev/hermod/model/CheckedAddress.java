// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

public final class CheckedAddress extends Input {
    /** An http or https URL. */
    public CheckedAddress url(String url) { return with(this, "url", url); }
}
