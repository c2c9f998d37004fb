package dev.hermod;

import dev.hermod.json.Nullable;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.function.Supplier;

/** Settings of a client. All have defaults. */
public final class HermodOptions {
    @Nullable String account;
    Duration timeout = Duration.ofSeconds(30);
    int maxRetries = 4;
    @Nullable Supplier<String> newIdempotencyKey;
    @Nullable HttpClient httpClient;

    /** Acts for another account, given by its id or external id. The key needs the permission {@code accounts:act} or {@code admin}. */
    public HermodOptions account(String account) {
        this.account = account;
        return this;
    }

    /** Limits each try, from its connection to the end of the answer: 30 s by default. */
    public HermodOptions timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /** Limits the retries of a request that is safe to repeat: 4 by default. */
    public HermodOptions maxRetries(int maxRetries) {
        this.maxRetries = maxRetries;
        return this;
    }

    /** Makes the Idempotency-Key of each POST without one: {@code () -> UUID.randomUUID().toString()}. */
    public HermodOptions newIdempotencyKey(Supplier<String> newIdempotencyKey) {
        this.newIdempotencyKey = newIdempotencyKey;
        return this;
    }

    /** Sends the requests, for a proxy or certificates of your own. It must follow no redirects. */
    public HermodOptions httpClient(HttpClient httpClient) {
        this.httpClient = httpClient;
        return this;
    }
}
