package dev.hermod;

import dev.hermod.json.Nullable;
import dev.hermod.model.ReceiveFailure;
import dev.hermod.model.ReceivedWebhook;
import java.time.Duration;

/** A webhook of a pulled endpoint. It is acknowledged once the loop asks for the next one. */
public final class PulledWebhook extends ReceivedWebhook {
    private static final int LONGEST = 1_000;

    private enum State { IN_WORK, ACKNOWLEDGED, FAILED, ENDED }

    private State state = State.IN_WORK;
    private @Nullable ReceiveFailure failure;

    PulledWebhook(ReceivedWebhook webhook) {
        super(webhook.json());
    }

    /** Acknowledges the webhook before the loop is left. */
    public void ack() {
        assertInWork();
        state = State.ACKNOWLEDGED;
    }

    /** Reports that the work failed. The endpoint's retry schedule repeats it. */
    public void fail(String error) {
        fail(error, Duration.ZERO);
    }

    /** Reports that the work failed, to be repeated after this time at least. */
    public void fail(String error, Duration retryAfter) {
        assertInWork();
        state = State.FAILED;
        failure = new ReceiveFailure().id(id()).error(fit(error));
        if (!retryAfter.isZero()) failure.retryAfter(retryAfter.toMillis() / 1_000.0);
    }

    boolean hasOutcome() {
        return state != State.IN_WORK;
    }

    /** Ends the work. Returns what failed; null if the webhook is acknowledged. */
    @Nullable ReceiveFailure end() {
        state = State.ENDED;
        return failure;
    }

    private void assertInWork() {
        if (state == State.ENDED) throw new IllegalStateException("The loop has finished " + id() + ": it is acknowledged or failed");
    }

    /** Replaces what the service refuses: control characters, and half a pair of surrogates. */
    private static String fit(String error) {
        var words = new StringBuilder();
        error.codePoints().limit(LONGEST).forEach(each -> words.appendCodePoint(isFit(each) ? each : ' '));
        return words.isEmpty() ? "failed" : words.toString();
    }

    private static boolean isFit(int codePoint) {
        int type = Character.getType(codePoint);
        return (type != Character.CONTROL || "\t\n\r".indexOf(codePoint) != -1) && type != Character.SURROGATE;
    }
}
