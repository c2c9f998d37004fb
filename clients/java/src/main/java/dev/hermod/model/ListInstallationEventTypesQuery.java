// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List the installation's event types */
public final class ListInstallationEventTypesQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListInstallationEventTypesQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListInstallationEventTypesQuery cursor(String cursor) { return with(this, "cursor", cursor); }
}
