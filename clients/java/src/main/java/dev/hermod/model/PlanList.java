// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class PlanList extends Answer {
    /** Views an answer of the service. */
    public PlanList(Json json) {
        super(json);
    }

    public List<Plan> data() { return list("data", Plan::new); }
}
