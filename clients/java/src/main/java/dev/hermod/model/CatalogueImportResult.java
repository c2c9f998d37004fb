// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class CatalogueImportResult extends Answer {
    /** Views an answer of the service. */
    public CatalogueImportResult(Json json) {
        super(json);
    }

    /** In the order of the document. */
    public List<ImportedEventType> data() { return list("data", ImportedEventType::new); }

    public long imported() { return read("imported", Json::asLong); }

    public long refused() { return read("refused", Json::asLong); }
}
