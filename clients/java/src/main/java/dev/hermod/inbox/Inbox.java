package dev.hermod.inbox;

import dev.hermod.Hermod;
import dev.hermod.VerifiedWebhook;
import dev.hermod.WebhookVerificationException;
import dev.hermod.Webhooks;
import dev.hermod.model.EndpointLog;
import dev.hermod.model.FinalStatus;
import dev.hermod.model.GetEndpointLogQuery;
import dev.hermod.model.NumberFate;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Does the work for each webhook once, in Postgres. The number of the webhook and the work commit together, so a repeat finds the
 * number and does nothing. Any number of threads and processes may share an inbox.
 */
public final class Inbox implements AutoCloseable {
    /** Numbers that a process works on at the same time; with one ordering key, always one. */
    private static final int AT_ONCE = 8;
    /** Numbers of an ordering key whose work commits together. */
    private static final int BATCH = 20;
    /** How often waiting work is looked at while no webhooks arrive. */
    private static final long LOOK_AGAIN_MS = 1_000;
    private static final int LOG_PAGE = 500;

    /** What became of the webhooks of a request. {@code STORED}: the work follows, since earlier numbers have not arrived. */
    public enum Taken { DONE, STORED }

    private record WorkFailure(InboxEvent event, Exception error) {}

    private final DataSource database;
    private final InboxOptions options;
    private final InboxWork work;
    private final InboxStore store;
    private final Semaphore workers = new Semaphore(AT_ONCE);
    private final AtomicBoolean looksAgain = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, Inbox::daemon, new DiscardPolicy());
    private volatile boolean hasBegun = false;

    public Inbox(DataSource database, InboxOptions options, InboxWork work) {
        this.database = database;
        this.options = options;
        this.work = work;
        this.store = new InboxStore(options.name);
    }

    private static Thread daemon(Runnable task) {
        var thread = new Thread(task, "hermod-inbox");
        thread.setDaemon(true);
        return thread;
    }

    /** Creates the table {@code hermod_inbox} unless it exists. Call it once, before the first webhook. */
    public void createTable() throws Exception {
        change(InboxStore::createTable);
    }

    /**
     * Returns the status to answer a request with: 204 once its work is done, 202 if it is stored, 401 or 400 if it is no webhook of
     * the endpoint, 500 if the work failed.
     *
     * @param body the body exactly as it arrived; 2 MiB is twice the largest payload
     * @param header returns a header by its name
     */
    public int handle(byte[] body, UnaryOperator<String> header) {
        try {
            return take(body, header) == Taken.DONE ? 204 : 202;
        } catch (WebhookVerificationException forged) {
            return 401;
        } catch (MissingNumber notFromHermod) {
            return 400;
        } catch (Exception failure) {
            options.onError.accept(failure, null);
            return 500;
        }
    }

    /** Does the same, and throws a {@link WebhookVerificationException} or the error of the work. */
    public Taken take(byte[] body, UnaryOperator<String> header) throws Exception {
        // Deliveries are numbered from 1. Trials of a certification have the number 0, and are no work.
        var from = options.isOrdered ? options.from : 1;
        var wanted = eventsIn(body, header).stream().filter(each -> each.sequence() >= from).toList();
        if (wanted.isEmpty()) return Taken.DONE;
        if (!options.isOrdered) return takeAtOnce(wanted);
        begin();
        for (var each : wanted) commit(on -> store.arrive(on, InboxNumber.of(each), false));
        var keys = wanted.stream().map(InboxEvent::orderingKey).toList();
        var failures = drain();
        lookAgain();
        report(failures.stream().filter(each -> !keys.contains(each.event().orderingKey())).toList());
        for (var each : failures) if (keys.contains(each.event().orderingKey())) throw each.error();
        return Taken.STORED;
    }

    /**
     * Reads the endpoint's log from the first number that has not arrived, and does the work of all that are not done. Call it when the
     * receiver starts, and after its database was restored.
     */
    public void catchUp() throws Exception {
        begin();
        readLog();
        report(drain());
        lookAgain();
    }

    /**
     * Deletes numbers whose work was done before this time. Choose a time after which Hermod repeats and resends nothing, since such a
     * repeat would be done again.
     */
    public void prune(Instant before) throws Exception {
        change(on -> store.prune(on, before.toEpochMilli()));
    }

    /** Looks at waiting work no longer. It is done when a webhook arrives, or by {@link #catchUp}. */
    @Override
    public void close() {
        timer.shutdownNow();
    }

    private List<InboxEvent> eventsIn(byte[] body, UnaryOperator<String> header) {
        var secrets = options.secrets.toArray(String[]::new);
        var webhooks = options.isBatched ? Webhooks.verifyBatch(body, header, secrets) : List.of(Webhooks.verify(body, header, secrets));
        return webhooks.stream().map(Inbox::eventOf).toList();
    }

    private static InboxEvent eventOf(VerifiedWebhook webhook) {
        if (webhook.sequence() == null) throw new MissingNumber();
        return new InboxEvent(webhook.id(), webhook.sequence(), webhook.event(), webhook.orderingKey(), webhook.data());
    }

    private Taken takeAtOnce(List<InboxEvent> events) throws Exception {
        return commit(on -> {
            for (var each : events) if (store.arrive(on, InboxNumber.of(each), true)) work.run(on, each);
            return Taken.DONE;
        });
    }

    /** Begins the order, once. Tries again if that failed. */
    private void begin() throws Exception {
        if (hasBegun) return;
        change(on -> store.beginOrder(on, options.from));
        hasBegun = true;
    }

    /** Does the work of all numbers that may be done, unless enough other threads do. Returns what failed. */
    private List<WorkFailure> drain() throws Exception {
        change(store::moveFrontier);
        var failures = new ArrayList<WorkFailure>();
        if (!workers.tryAcquire()) return failures;
        try {
            while (step(failures, BATCH)) {}
        } finally {
            workers.release();
        }
        return failures;
    }

    /**
     * Does the work of the next numbers of an ordering key in one transaction. If one fails, those before it are done again without it.
     * Returns false if there are none.
     */
    private boolean step(List<WorkFailure> failures, int most) throws Exception {
        var taken = new ArrayList<InboxNumber>();
        var done = new ArrayList<InboxNumber>();
        try {
            return commit(on -> {
                taken.addAll(store.takeNext(on, most));
                for (var each : taken) {
                    if (each.needsWork()) work.run(on, each.toEvent());
                    done.add(each);
                }
                store.finish(on, taken);
                return !taken.isEmpty();
            });
        } catch (Exception failure) {
            if (done.size() == taken.size()) throw failure;
            if (!done.isEmpty()) return step(failures, done.size());
            var failed = taken.get(0);
            failures.add(new WorkFailure(failed.toEvent(), failure));
            change(on -> store.postpone(on, failed));
            return true;
        }
    }

    private void report(List<WorkFailure> failures) {
        for (var each : failures) options.onError.accept(each.error(), each.event());
    }

    /** Looks at the waiting work a while later, until all is done. */
    private void lookAgain() {
        if (looksAgain.compareAndSet(false, true)) timer.schedule(this::look, LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        looksAgain.set(false);
        try {
            var backlog = commit(store::readBacklog);
            if (backlog.isEmpty()) return;
            var since = backlog.gapSince();
            if (since != null && System.currentTimeMillis() - since >= options.catchUpAfter.toMillis()) readLog();
            report(drain());
        } catch (Exception failure) {
            options.onError.accept(failure, null);
        }
        lookAgain();
    }

    /** Stores the numbers that the log has, from the first that has not arrived. */
    private void readLog() throws Exception {
        if (options.catchUpUrl == null) return;
        var hermod = new Hermod(options.catchUpUrl, options.catchUpKey);
        long next = 1 + commit(store::readFrontier);
        for (boolean isLast = false; !isLast; ) {
            var page = hermod.endpoints().log(options.endpoint, new GetEndpointLogQuery().from(next).limit(LOG_PAGE));
            store(page, next);
            report(drain());
            isLast = page.data().isEmpty() || page.nextFrom() > page.completeUpTo();
            next = page.nextFrom();
        }
    }

    private void store(EndpointLog page, long from) throws Exception {
        change(on -> {
            // Earlier ones are older than the retention.
            if (!page.data().isEmpty()) store.moveFrontierTo(on, Math.max(from, page.data().get(0).sequence()) - 1);
            for (var each : page.data()) store.arrive(on, numberIn(each), false);
        });
    }

    /** A number needs no work if the sender cancelled the delivery, or its payload is erased or removed. */
    private static InboxNumber numberIn(NumberFate fate) {
        boolean hasEnded = fate.status() == FinalStatus.DELIVERED || fate.status() == FinalStatus.FAILED;
        boolean hasWork = hasEnded && !fate.erased();
        var id = Objects.requireNonNullElse(fate.webhookId(), "removed " + fate.sequence());
        return new InboxNumber(fate.sequence(), id, fate.orderingKey(), fate.event(), hasWork ? fate.data().text() : "", 0);
    }

    private interface Transaction<T> {
        T run(Connection on) throws Exception;
    }

    private interface Change {
        void run(Connection on) throws Exception;
    }

    private void change(Change change) throws Exception {
        commit(on -> {
            change.run(on);
            return null;
        });
    }

    private <T> T commit(Transaction<T> transaction) throws Exception {
        try (var connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                var result = transaction.run(connection);
                connection.commit();
                return result;
            } catch (Exception failure) {
                undo(connection, failure);
                throw failure;
            }
        }
    }

    private static void undo(Connection connection, Exception failure) {
        try {
            connection.rollback();
        } catch (SQLException lost) {
            failure.addSuppressed(lost);
        }
    }

    /** A request without {@code webhook-sequence}, which Hermod always sends. */
    private static final class MissingNumber extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
