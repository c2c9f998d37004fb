// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.Map;

public final class CatalogueImport extends Input {
    /** An OpenAPI 3 document with {@code webhooks}, {@code x-webhooks} or callbacks, or an AsyncAPI 2 or 3 document, as JSON. */
    public CatalogueImport document(Map<String, ?> document) { return with(this, "document", document); }

    /** Such a document as a text in YAML 1.2 with merge keys, in place of {@code document}. */
    public CatalogueImport yaml(String yaml) { return with(this, "yaml", yaml); }
}
