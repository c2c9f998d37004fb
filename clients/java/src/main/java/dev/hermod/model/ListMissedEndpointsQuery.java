// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List the endpoints that did not get an event */
public final class ListMissedEndpointsQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListMissedEndpointsQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListMissedEndpointsQuery cursor(String cursor) { return with(this, "cursor", cursor); }
}
