// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class AccountDeliveryPage extends Answer {
    /** Views an answer of the service. */
    public AccountDeliveryPage(Json json) {
        super(json);
    }

    /** Send it as {@code cursor} to get the next page; null on the last page. */
    public @Nullable String cursor() { return read("cursor", Json::asText); }

    public List<AccountDelivery> data() { return list("data", AccountDelivery::new); }
}
