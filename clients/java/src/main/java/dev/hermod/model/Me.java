// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class Me extends Answer {
    /** Views an answer of the service. */
    public Me(Json json) {
        super(json);
    }

    public Account account() { return read("account", Account::new); }

    /** How long an endpoint may fail before Hermod sets it inactive: HERMOD_DISABLE_AFTER. */
    public long disableAfterMs() { return read("disable_after_ms", Json::asLong); }

    /** The key of the request or of its session; null for a JWT and for a person. */
    public @Nullable String keyId() { return read("key_id", Json::asText); }

    /** The key's name, or the person's. */
    public @Nullable String name() { return read("name", Json::asText); }

    public List<Permission> permissions() { return list("permissions", Permission::of); }

    /** How long ended deliveries are kept: HERMOD_RETENTION. */
    public long retentionMs() { return read("retention_ms", Json::asLong); }

    /** Hermod's version. */
    public String version() { return read("version", Json::asText); }
}
