// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class AuditPage extends Answer {
    /** Views an answer of the service. */
    public AuditPage(Json json) {
        super(json);
    }

    /** Send it as {@code cursor} to get the next page; null on the last page. */
    public @Nullable String cursor() { return read("cursor", Json::asText); }

    public List<AuditEntry> data() { return list("data", AuditEntry::new); }
}
