// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;

public class CreatedKey extends Answer {
    /** Views an answer of the service. */
    public CreatedKey(Json json) {
        super(json);
    }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** The key that created this one. */
    public @Nullable String createdBy() { return read("created_by", Json::asText); }

    public @Nullable Instant expiresAt() { return read("expires_at", Json::asInstant); }

    /** Begins with {@code key_}. */
    public String id() { return read("id", Json::asText); }

    public boolean isActive() { return read("is_active", Json::asBoolean); }

    /** The key's text, shown only in this answer. */
    public String key() { return read("key", Json::asText); }

    /** To the minute; null if the key was never used. */
    public @Nullable Instant lastUsedAt() { return read("last_used_at", Json::asInstant); }

    public @Nullable String name() { return read("name", Json::asText); }

    public List<Permission> permissions() { return list("permissions", Permission::of); }
}
