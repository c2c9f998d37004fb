// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;

public class Retention extends Answer {
    /** Views an answer of the service. */
    public Retention(Json json) {
        super(json);
    }

    /** How long changes are kept: HERMOD_AUDIT_RETENTION. */
    public long auditMs() { return read("audit_ms", Json::asLong); }

    /** How long ended deliveries are kept: HERMOD_RETENTION. */
    public long deliveriesMs() { return read("deliveries_ms", Json::asLong); }
}
