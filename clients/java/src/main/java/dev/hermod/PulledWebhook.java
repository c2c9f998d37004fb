package dev.hermod;

import dev.hermod.json.Nullable;
import dev.hermod.model.ReceiveFailure;
import dev.hermod.model.ReceivedWebhook;
import java.time.Duration;

/** A webhook of a pulled endpoint. It is acknowledged once the loop asks for the next one. */
public final class PulledWebhook extends ReceivedWebhook {
    private static final int LONGEST = 1_000;

    boolean isFinished = false;
    @Nullable ReceiveFailure failure;

    PulledWebhook(ReceivedWebhook webhook) {
        super(webhook.json());
    }

    /** Acknowledges the webhook before the loop is left. */
    public void ack() {
        isFinished = true;
    }

    /** Reports that the work failed. The endpoint's retry schedule repeats it. */
    public void fail(String error) {
        isFinished = true;
        failure = new ReceiveFailure().id(id()).error(error.substring(0, Math.min(error.length(), LONGEST)));
    }

    /** Reports that the work failed, to be repeated after this time at least. */
    public void fail(String error, Duration retryAfter) {
        fail(error);
        failure.retryAfter(retryAfter.toMillis() / 1_000.0);
    }
}
