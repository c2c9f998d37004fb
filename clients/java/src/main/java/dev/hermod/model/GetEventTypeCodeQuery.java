// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** Write types for an event type's payload */
public final class GetEventTypeCodeQuery extends Input {
    /** TypeScript by default. */
    public GetEventTypeCodeQuery language(CodeLanguage language) { return with(this, "language", language); }
}
