// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class KeyList extends Answer {
    /** Views an answer of the service. */
    public KeyList(Json json) {
        super(json);
    }

    public List<Key> data() { return list("data", Key::new); }
}
