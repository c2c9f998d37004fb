// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class TypeCode extends Answer {
    /** Views an answer of the service. */
    public TypeCode(Json json) {
        super(json);
    }

    public String eventType() { return read("event_type", Json::asText); }

    /** Source code. */
    public List<CodeFile> files() { return list("files", CodeFile::new); }

    public CodeLanguage language() { return read("language", CodeLanguage::of); }

    /** Why no types can be written; null if there are some. */
    public @Nullable String problem() { return read("problem", Json::asText); }
}
