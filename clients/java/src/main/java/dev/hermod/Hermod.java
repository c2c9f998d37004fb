package dev.hermod;

/**
 * A client of a Hermod service. It needs no closing, and any number of threads may share it.
 *
 * <p>Methods throw a {@link RefusedException} if the service refuses, and an {@link UnreachableException} if no answer comes, after
 * several tries of requests that are safe to repeat: reads, PUT, DELETE, and POST with an Idempotency-Key.
 */
public final class Hermod extends Methods {
    /**
     * Makes a client.
     *
     * @param url the service's address, such as {@code http://127.0.0.1:3000}; {@code /v1} may follow
     * @param key an API key or a JWT
     */
    public Hermod(String url, String key) {
        this(url, key, new HermodOptions());
    }

    /** Makes a client with settings of its own. */
    public Hermod(String url, String key, HermodOptions options) {
        super(new Transport(url, key, options));
    }

    /** Reads what is sent to an endpoint with delivery {@code pull}. */
    public PulledWebhooks receive(String endpoint) {
        return receive(endpoint, new PullOptions());
    }

    /**
     * Reads what is sent to an endpoint with delivery {@code pull}, in its order, without end. A webhook is acknowledged once the loop
     * asks for the next one. What the loop has not finished when it ends comes again.
     */
    public PulledWebhooks receive(String endpoint, PullOptions options) {
        return new PulledWebhooks(transport, endpoint, options);
    }
}
