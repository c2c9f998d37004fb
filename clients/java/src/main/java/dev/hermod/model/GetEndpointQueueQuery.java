// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List an endpoint's pending deliveries, in order */
public final class GetEndpointQueueQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public GetEndpointQueueQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public GetEndpointQueueQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only deliveries with this ordering key. */
    public GetEndpointQueueQuery orderingKey(String orderingKey) { return with(this, "ordering_key", orderingKey); }
}
