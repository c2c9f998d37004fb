// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import java.util.List;

public class HermodSystem extends Answer {
    /** Views an answer of the service. */
    public HermodSystem(Json json) {
        super(json);
    }

    public Dependencies dependencies() { return read("dependencies", Dependencies::new); }

    public List<Partition> partitions() { return list("partitions", Partition::new); }

    public List<HermodProcess> processes() { return list("processes", HermodProcess::new); }

    public Retention retention() { return read("retention", Retention::new); }

    public Storage storage() { return read("storage", Storage::new); }

    /** The version of the process that answers. */
    public String version() { return read("version", Json::asText); }
}
