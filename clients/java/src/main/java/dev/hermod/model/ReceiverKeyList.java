// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class ReceiverKeyList extends Answer {
    /** Views an answer of the service. */
    public ReceiverKeyList(Json json) {
        super(json);
    }

    public List<ReceiverKey> data() { return list("data", ReceiverKey::new); }
}
