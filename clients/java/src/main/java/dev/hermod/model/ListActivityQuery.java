// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

/** List the changes in the account */
public final class ListActivityQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListActivityQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListActivityQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only changes by this key, also by its sessions. */
    public ListActivityQuery keyId(String keyId) { return with(this, "key_id", keyId); }

    /** Only changes by this person. */
    public ListActivityQuery person(String person) { return with(this, "person", person); }

    /** Only this operation, such as {@code updateEndpoint}; one that the audit log never has is a 400. */
    public ListActivityQuery operation(String operation) { return with(this, "operation", operation); }

    /** Only changes of the resource with this id or name, such as {@code ep_…}. */
    public ListActivityQuery target(String target) { return with(this, "target", target); }

    /** Only changes at or after this time. */
    public ListActivityQuery after(Instant after) { return with(this, "after", after); }

    /** Only changes before this time. */
    public ListActivityQuery before(Instant before) { return with(this, "before", before); }
}
