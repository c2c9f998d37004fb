// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class SchemaVersionList extends Answer {
    /** Views an answer of the service. */
    public SchemaVersionList(Json json) {
        super(json);
    }

    /** The latest 20, the newest first. */
    public List<SchemaVersion> data() { return list("data", SchemaVersion::new); }
}
