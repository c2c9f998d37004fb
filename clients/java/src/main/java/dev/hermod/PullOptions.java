package dev.hermod;

import java.time.Duration;

/** Settings of a pulled endpoint's loop. All have defaults. */
public final class PullOptions {
    long limit = 100;
    Duration wait = Duration.ofSeconds(20);
    Duration lease = Duration.ofSeconds(30);
    boolean untilEmpty = false;

    /** Limits the webhooks of a page, from 1 to 500: 100 by default. */
    public PullOptions limit(long limit) {
        this.limit = limit;
        return this;
    }

    /** The time for which a request waits for a webhook, up to 30 s: 20 s by default. */
    public PullOptions wait(Duration wait) {
        this.wait = wait;
        return this;
    }

    /** The time for the work on a page, up to 10 minutes: 30 s by default. Work that takes longer comes again. */
    public PullOptions lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    /** Ends the loop once nothing is there to be read. */
    public PullOptions untilEmpty() {
        this.untilEmpty = true;
        return this.wait(Duration.ZERO);
    }
}
