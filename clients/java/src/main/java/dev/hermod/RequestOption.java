package dev.hermod;

/** An option of one request. */
public final class RequestOption {
    final String idempotencyKey;

    private RequestOption(String idempotencyKey) {
        this.idempotencyKey = idempotencyKey;
    }

    /** Makes a POST safe to repeat for 24 hours. A POST is retried only with a key. */
    public static RequestOption idempotencyKey(String key) {
        return new RequestOption(key);
    }
}
