// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

public class AuditEntry extends Answer {
    /** Views an answer of the service. */
    public AuditEntry(Json json) {
        super(json);
    }

    /** The account that the change is about. */
    public String accountId() { return read("account_id", Json::asText); }

    public AuditActor actor() { return read("actor", AuditActor::new); }

    /** The fields of the request. */
    public @Nullable Map<String, Json> after() { return map("after", Function.identity()); }

    public Instant at() { return read("at", Json::asInstant); }

    /** The values of the changed fields before, where they are known and small. */
    public @Nullable Map<String, Json> before() { return map("before", Function.identity()); }

    /** Begins with {@code aud_}. */
    public String id() { return read("id", Json::asText); }

    /** The {@code operationId} of the request. */
    public String operation() { return read("operation", Json::asText); }

    /** The request's {@code x-request-id}. */
    public String requestId() { return read("request_id", Json::asText); }

    /** The id or the name of the changed or created resource. */
    public @Nullable String target() { return read("target", Json::asText); }
}
