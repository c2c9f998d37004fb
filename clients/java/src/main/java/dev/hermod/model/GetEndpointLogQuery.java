// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** Read an endpoint's numbers, and what became of each */
public final class GetEndpointLogQuery extends Input {
    /** The first number; 1 by default. */
    public GetEndpointLogQuery from(long from) { return with(this, "from", from); }

    /** Numbers on a page, 100 by default and 500 at most; a larger number is lowered to 500. */
    public GetEndpointLogQuery limit(long limit) { return with(this, "limit", limit); }
}
