// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

/** The document. */
public class CatalogueDocument extends Answer {
    /** Views an answer of the service. */
    public CatalogueDocument(Json json) {
        super(json);
    }
}
