package dev.hermod;

import dev.hermod.json.Nullable;
import dev.hermod.model.Receive;
import dev.hermod.model.ReceivedPage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;

/**
 * What was sent to an endpoint with delivery {@code pull}, in its order, without end. Each request for a page settles the page
 * before. The loop ends when its thread is interrupted. Iterate over it once.
 */
public final class PulledWebhooks implements Iterable<PulledWebhook>, AutoCloseable {
    /** Least time between two requests while nothing is there. A service that is busy answers at once instead of waiting. */
    private static final Duration EMPTY_PAUSE = Duration.ofSeconds(1);
    private static final int CONFLICT = 409;

    private final Transport transport;
    private final String endpoint;
    private final PullOptions options;
    private final Queue<PulledWebhook> page = new ArrayDeque<>();
    /** What became of the page in work. */
    private Receive report = new Receive();
    private @Nullable PulledWebhook inWork;
    private long halfTime;
    private boolean hasAnswer = false;
    private boolean isOver = false;

    PulledWebhooks(Transport transport, String endpoint, PullOptions options) {
        this.transport = transport;
        this.endpoint = endpoint;
        this.options = options;
    }

    @Override
    public Iterator<PulledWebhook> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                if (inWork != null) settle(inWork);
                while (page.isEmpty() && !isOver) readPage();
                return !page.isEmpty();
            }

            @Override
            public PulledWebhook next() {
                if (!hasNext()) throw new NoSuchElementException();
                inWork = page.remove();
                return inWork;
            }
        };
    }

    /** Ends the loop, acknowledges what it has finished, and hands back the rest of the page. */
    @Override
    public void close() {
        if (inWork != null && inWork.hasOutcome()) settle(inWork);
        page.clear();
        isOver = true;
        if (!isPageInWork(report)) return;
        hasAnswer = false;
        boolean isInterrupted = Thread.interrupted();
        try {
            ask(report.limit(0));
        } catch (HermodException lost) {
            // What is not acknowledged comes again.
        } finally {
            if (isInterrupted) Thread.currentThread().interrupt();
        }
        report = new Receive();
    }

    private static boolean isPageInWork(Receive report) {
        return report.fields().containsKey("receipt");
    }

    private void settle(PulledWebhook webhook) {
        inWork = null;
        var failure = webhook.end();
        if (failure == null) report.ackThrough(webhook.sequence());
        else report.fail(List.of(failure));
        // The second half of the lease is for the webhook in work.
        if (failure != null || System.nanoTime() - halfTime > 0) page.clear();
    }

    private void readPage() {
        long askedAt = System.nanoTime();
        var read = nextPage();
        if (read == null) return;
        halfTime = System.nanoTime() + options.lease.toNanos() / 2;
        for (var each : read.data()) page.add(new PulledWebhook(each));
        if (!page.isEmpty()) report = new Receive().receipt(read.receipt()).release(true);
        else isOver = options.untilEmpty || !Transport.pause(EMPTY_PAUSE.minusNanos(System.nanoTime() - askedAt));
    }

    /** Settles the page before, and reads the next one. Returns null if the thread is interrupted. */
    private @Nullable ReceivedPage nextPage() {
        var settled = report;
        report = new Receive();
        try {
            return ask(paged(settled));
        } catch (HermodException failure) {
            isOver = Thread.currentThread().isInterrupted();
            if (isOver) {
                report = settled;
                return null;
            }
            // The page is no longer this receiver's, and nothing was changed.
            boolean isLost = failure instanceof RefusedException refusal && refusal.status() == CONFLICT;
            if (isLost && isPageInWork(settled)) return ask(paged(new Receive()));
            throw failure;
        }
    }

    private Receive paged(Receive body) {
        return body.limit(options.limit).wait_(options.wait.toMillis() / 1_000.0).lease(options.lease.toSeconds());
    }

    /**
     * Sends a request until it is answered. A repeat is safe: the service hands a page out again if its answer was lost. The first
     * request shows whether address and key are right.
     */
    private ReceivedPage ask(Receive body) {
        var request = Request.of("POST", "/v1/endpoints/{id}/receive", endpoint).body(body);
        request.isRepeatable = true;
        request.patience = options.wait;
        var answer = transport.send(request, hasAnswer ? Integer.MAX_VALUE : transport.options.maxRetries);
        hasAnswer = true;
        return new ReceivedPage(answer);
    }
}
