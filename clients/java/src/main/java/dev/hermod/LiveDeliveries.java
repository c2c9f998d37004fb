package dev.hermod;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The methods of webhooks that are written by hand. */
abstract class LiveDeliveries extends Resource {
    LiveDeliveries(Transport transport) {
        super(transport);
    }

    /** Follows deliveries from now on. */
    public FollowedDeliveries follow() {
        return follow(new FollowQuery());
    }

    /** Follows deliveries as they are accepted, oldest first, without gaps and without end. */
    public FollowedDeliveries follow(FollowQuery query) {
        return new FollowedDeliveries(transport, query);
    }

    /**
     * Verifies a webhook by Standard Webhooks, and reads it.
     *
     * @param body the body exactly as it arrived
     * @param header returns a header by its name: {@code request::getHeader} of a servlet, {@code headers::getFirst} of Spring
     * @param secrets the endpoint's signing secrets: two while one replaces the other
     * @throws WebhookVerificationException unless one of the secrets signed the body in the last five minutes
     */
    public static VerifiedWebhook verify(byte[] body, UnaryOperator<String> header, String... secrets) {
        return verify(body, header, List.of(secrets), VerifiedWebhook.TOLERANCE);
    }

    /** Verifies a webhook that was signed within the tolerance, before or after this clock. */
    public static VerifiedWebhook verify(byte[] body, UnaryOperator<String> header, List<String> secrets, Duration tolerance) {
        return Verification.of(body, header, secrets, tolerance);
    }

    /**
     * Verifies a request to an endpoint with a {@code batch_size} above 1. Returns its webhooks in their order. Take all of them or
     * none: after a failure each comes again, alone.
     */
    public static List<VerifiedWebhook> verifyBatch(byte[] body, UnaryOperator<String> header, String... secrets) {
        return Verification.ofBatch(verify(body, header, secrets));
    }
}
