// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.List;

public final class ResendSelection extends Input {
    /** True: counts, and starts no job. */
    public ResendSelection dryRun(boolean dryRun) { return with(this, "dry_run", dryRun); }

    public ResendSelection filter(ResendFilter filter) { return with(this, "filter", filter); }

    /** The deliveries to resend. */
    public ResendSelection ids(List<String> ids) { return with(this, "ids", ids); }
}
