// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;

/** List jobs */
public final class ListJobsQuery extends Input {
    /** Items per page, 20 by default and 100 at most; a larger number is lowered to 100. */
    public ListJobsQuery limit(long limit) { return with(this, "limit", limit); }

    /** The {@code cursor} of the previous answer. */
    public ListJobsQuery cursor(String cursor) { return with(this, "cursor", cursor); }

    /** Only jobs in this status. */
    public ListJobsQuery status(JobStatus status) { return with(this, "status", status); }
}
