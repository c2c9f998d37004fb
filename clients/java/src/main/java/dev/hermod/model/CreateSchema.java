// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.Map;

public final class CreateSchema extends Input {
    /** A JSON Schema, draft 2020-12 or draft 7. */
    public CreateSchema schema(Map<String, ?> schema) { return with(this, "schema", schema); }
}
