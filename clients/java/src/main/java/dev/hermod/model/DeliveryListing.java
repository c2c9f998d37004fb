// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.util.List;

public class DeliveryListing extends Answer {
    /** Views an answer of the service. */
    public DeliveryListing(Json json) {
        super(json);
    }

    /** Cursors: send it as {@code cursor} to get the next page; null on the last page. */
    public @Nullable String cursor() { return read("cursor", Json::asText); }

    /** Cursors: the deliveries. */
    public @Nullable List<ListedDelivery> data() { return list("data", ListedDelivery::new); }

    /** Pages: the deliveries. */
    public @Nullable List<Delivery> deliveries() { return list("deliveries", Delivery::new); }

    /** Cursors: present if {@code iterator} was given; send it to continue. */
    public @Nullable String iterator() { return read("iterator", Json::asText); }

    /** Pages: the page's number. */
    public @Nullable Long page() { return read("page", Json::asLong); }

    /** Pages: the most deliveries of a page. */
    public @Nullable Long perPage() { return read("per_page", Json::asLong); }

    /** Pages: the number of deliveries that match. */
    public @Nullable Long total() { return read("total", Json::asLong); }
}
