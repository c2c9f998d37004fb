// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class SchemaCheck extends Answer {
    /** Views an answer of the service. */
    public SchemaCheck(Json json) {
        super(json);
    }

    /** The payloads that the schema would have refused, newest first. */
    public List<SchemaRefusal> data() { return list("data", SchemaRefusal::new); }

    /** At most 100, fewer if they are large or expensive to validate. */
    public long examined() { return read("examined", Json::asLong); }

    public long refused() { return read("refused", Json::asLong); }

    /** The parts of the schema that are not checked, such as unknown formats. */
    public List<String> warnings() { return list("warnings", Json::asText); }
}
