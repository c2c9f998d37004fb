// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List accounts */
public final class ListAccountsQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListAccountsQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListAccountsQuery cursor(String cursor) { return with(this, "cursor", cursor); }
}
