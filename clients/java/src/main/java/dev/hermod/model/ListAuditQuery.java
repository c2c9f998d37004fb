// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.time.Instant;

/** List the changes in all accounts */
public final class ListAuditQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListAuditQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListAuditQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only changes about the account with this id. */
    public ListAuditQuery accountId(String accountId) { return with(this, "account_id", accountId); }

    /** Only this account, by its id or its external id. */
    public ListAuditQuery account(String account) { return with(this, "account", account); }

    /** Only changes by this key, also by its sessions. */
    public ListAuditQuery keyId(String keyId) { return with(this, "key_id", keyId); }

    /** Only changes by this person. */
    public ListAuditQuery person(String person) { return with(this, "person", person); }

    /** Only this operation, such as {@code updateEndpoint}; one that the audit log never has is a 400. */
    public ListAuditQuery operation(String operation) { return with(this, "operation", operation); }

    /** Only changes of the resource with this id or name, such as {@code ep_…}. */
    public ListAuditQuery target(String target) { return with(this, "target", target); }

    /** Only changes at or after this time. */
    public ListAuditQuery after(Instant after) { return with(this, "after", after); }

    /** Only changes before this time. */
    public ListAuditQuery before(Instant before) { return with(this, "before", before); }
}
