// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class CellList extends Answer {
    /** Views an answer of the service. */
    public CellList(Json json) {
        super(json);
    }

    public List<Cell> data() { return list("data", Cell::new); }
}
