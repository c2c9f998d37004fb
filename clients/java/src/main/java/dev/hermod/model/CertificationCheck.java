// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

public class CertificationCheck extends Answer {
    /** Views an answer of the service. */
    public CertificationCheck(Json json) {
        super(json);
    }

    public CertificationAnswer answer() { return read("answer", CertificationAnswer::new); }

    public CheckName check() { return read("check", CheckName::of); }

    /** The page and section that say how. */
    public @Nullable String docs() { return read("docs", Json::asText); }

    /** What to change at the receiver, in words. */
    public @Nullable String mend() { return read("mend", Json::asText); }

    public CheckOutcome outcome() { return read("outcome", CheckOutcome::of); }

    /** Why it did not pass; null if it passed. */
    public @Nullable CheckReason reason() { return read("reason", CheckReason::of); }

    /** What was sent; null if the answers to others show it. */
    public @Nullable String sent() { return read("sent", Json::asText); }

    /** What the receiver did, in words. */
    public String text() { return read("text", Json::asText); }
}
