// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.util.List;

public final class Receive extends Input {
    /** Acknowledges these deliveries of the page. */
    public Receive ack(@Nullable List<String> ack) { return with(this, "ack", ack); }

    /** Acknowledges the page's deliveries up to this {@code sequence}. */
    public Receive ackThrough(@Nullable Long ackThrough) { return with(this, "ack_through", ackThrough); }

    /** Acknowledges the page's deliveries up to this {@code sequence}. */
    public Receive ackThrough(long ackThrough) { return with(this, "ack_through", ackThrough); }

    /** Reports failed attempts at deliveries of the page. */
    public Receive fail(@Nullable List<ReceiveFailure> fail) { return with(this, "fail", fail); }

    /** The receiver's time for the page, in seconds. */
    public Receive lease(@Nullable Long lease) { return with(this, "lease", lease); }

    /** The receiver's time for the page, in seconds. */
    public Receive lease(long lease) { return with(this, "lease", lease); }

    /** Most deliveries of the page. */
    public Receive limit(@Nullable Long limit) { return with(this, "limit", limit); }

    /** Most deliveries of the page. */
    public Receive limit(long limit) { return with(this, "limit", limit); }

    /** The {@code receipt} of the page to which {@code ack_through}, {@code ack} and {@code fail} refer. */
    public Receive receipt(@Nullable String receipt) { return with(this, "receipt", receipt); }

    /** Hands back what the page has left: it may be read again at once, without another {@code attempt}. */
    public Receive release(@Nullable Boolean release) { return with(this, "release", release); }

    /** How long to wait for a delivery if there is none, in seconds. */
    public Receive wait_(@Nullable Double wait_) { return with(this, "wait", wait_); }

    /** How long to wait for a delivery if there is none, in seconds. */
    public Receive wait_(double wait_) { return with(this, "wait", wait_); }
}
