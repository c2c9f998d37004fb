package dev.hermod;

/** A webhook that was not signed with the endpoint's secret in the last five minutes. Answer 401. */
public final class WebhookVerificationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    WebhookVerificationException(String message) {
        super(message);
    }
}
