// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.Map;

/** List endpoints */
public final class ListEndpointsQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListEndpointsQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListEndpointsQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only endpoints in this state. */
    public ListEndpointsQuery health(HealthState health) { return with(this, "health", health); }

    /** Only the endpoint with this external id. */
    public ListEndpointsQuery externalId(String externalId) { return with(this, "external_id", externalId); }

    /** Only endpoints with this text in the description, URL, external id or metadata. */
    public ListEndpointsQuery q(String q) { return with(this, "q", q); }

    /** Only endpoints with this value in the metadata, such as {@code metadata.team=payments}; at most 5 of them. */
    public ListEndpointsQuery metadata(Map<String, String> metadata) { return with(this, "metadata", metadata); }
}
