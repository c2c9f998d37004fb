// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class AuditActor extends Answer {
    /** Views an answer of the service. */
    public AuditActor(Json json) {
        super(json);
    }

    /** The key's id. */
    public @Nullable String id() { return read("id", Json::asText); }

    public ActorKind kind() { return read("kind", ActorKind::of); }

    /** The key's name at the time, or the person. */
    public @Nullable String name() { return read("name", Json::asText); }

    /** The session in a browser, if it was one. */
    public @Nullable String sessionId() { return read("session_id", Json::asText); }
}
