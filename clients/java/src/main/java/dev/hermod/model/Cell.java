// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class Cell extends Answer {
    /** Views an answer of the service. */
    public Cell(Json json) {
        super(json);
    }

    /** Null while the cell can't be reached. */
    public @Nullable Boolean acceptsAccounts() { return read("accepts_accounts", Json::asBoolean); }

    /** The number of its accounts. */
    public @Nullable Long accounts() { return read("accounts", Json::asLong); }

    /** Whether the router reaches the cell. */
    public boolean isReachable() { return read("is_reachable", Json::asBoolean); }

    public String name() { return read("name", Json::asText); }
}
