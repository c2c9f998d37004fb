package dev.hermod;

import dev.hermod.json.Nullable;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Decides how long to wait before a request is repeated. */
final class Retry {
    /** The first wait if the service names none. It doubles each time. */
    private static final long FIRST_MS = 200;
    private static final long LONGEST_MS = 10_000;
    /** The longest Retry-After that the client waits for. Beyond it the caller gets the error. */
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(1);
    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private Retry() {}

    /** Returns the wait before the next try; null for no retry. */
    static @Nullable Duration waitAfter(HermodException failure, int retries, int most) {
        if (retries >= most) return null;
        // Full jitter, so that clients that failed together do not come back together.
        var backoff = Duration.ofMillis((long) (ThreadLocalRandom.current().nextDouble() * Math.min(LONGEST_MS, FIRST_MS << Math.min(retries, 10))));
        if (!(failure instanceof RefusedException refusal)) return backoff;
        if (!PASSING.contains(refusal.status())) return null;
        var named = refusal.retryAfter();
        if (named == null) return backoff;
        return named.compareTo(LONGEST_RETRY_AFTER) > 0 ? null : named.plus(backoff);
    }
}
