// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class FilterTestResult extends Answer {
    /** Views an answer of the service. */
    public FilterTestResult(Json json) {
        super(json);
    }

    /** The newest first. */
    public List<FilterTestItem> data() { return list("data", FilterTestItem::new); }

    /** At most 100. */
    public long examined() { return read("examined", Json::asLong); }

    public long matched() { return read("matched", Json::asLong); }
}
