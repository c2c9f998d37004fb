// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List the orders whose first delivery is retried */
public final class ListStuckOrdersQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListStuckOrdersQuery limit(long limit) { return with(this, "limit", limit); }
}
