// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List endpoints with pending deliveries */
public final class GetBacklogQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public GetBacklogQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public GetBacklogQuery cursor(String cursor) { return with(this, "cursor", cursor); }
}
