package dev.hermod.inbox;

import dev.hermod.json.Nullable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The table of the inbox in Postgres. */
final class InboxStore {
    /** Most waiting numbers that one statement looks at. */
    private static final int MOST_LOOKED_AT = 100;
    /** Failed work is tried again after a second, then after twice as long each time, up to this. */
    private static final long LONGEST_WAIT_MS = 300_000;

    /** What an order waits for. {@code gapSince}: when the first number behind a gap arrived, Unix milliseconds; null without a gap. */
    record Backlog(boolean isEmpty, @Nullable Long gapSince) {}

    private final String inbox;

    InboxStore(String inbox) {
        this.inbox = inbox;
    }

    static void createTable(Connection on) throws SQLException {
        change(on, InboxStatement.CREATE_TABLE);
        change(on, InboxStatement.CREATE_INDEX);
    }

    /** Writes a number. Returns false if it, or its id with another number, arrived before. */
    boolean arrive(Connection on, InboxNumber number, boolean isDone) throws SQLException {
        if (isNew(on, number, number.id(), isDone ? "" : number.body(), isDone)) return true;
        // A resend has the id of its original. Its number has arrived, and its work is the original's.
        if (isNew(on, number, null, "", true)) return false;
        for (var known : read(on, InboxStatement.READ_ARRIVED, row -> row.getString(1), inbox, number.sequence()))
            if (known != null && !known.equals(number.id())) throw new NumberCameAgainException(number.sequence(), known, number.id());
        return false;
    }

    private boolean isNew(Connection on, InboxNumber number, @Nullable String id, String body, boolean isDone) throws SQLException {
        return !read(on, InboxStatement.ARRIVE, row -> row.getLong(1), inbox, number.sequence(), id, number.orderingKey(),
                number.event(), body, isDone ? 1 : 0, System.currentTimeMillis()).isEmpty();
    }

    /** Begins an order in front of its first number, unless it has begun. */
    void beginOrder(Connection on, long from) throws SQLException {
        change(on, InboxStatement.BEGIN_ORDER, inbox, from - 1, System.currentTimeMillis());
    }

    /** Moves the frontier over the numbers that have arrived behind it without a gap. */
    void moveFrontier(Connection on) throws SQLException {
        for (int passed = MOST_LOOKED_AT; passed == MOST_LOOKED_AT; ) {
            var arrived = read(on, InboxStatement.READ_BEHIND_FRONTIER, row -> new long[] {row.getLong(1), row.getLong(2)}, inbox);
            passed = 0;
            while (passed < arrived.size() && arrived.get(passed)[0] == arrived.get(0)[1] + passed + 1) passed++;
            if (passed > 0) moveFrontierTo(on, arrived.get(passed - 1)[0]);
        }
    }

    /** Moves the frontier over numbers that never arrive, such as those that the retention has removed. */
    void moveFrontierTo(Connection on, long frontier) throws SQLException {
        change(on, InboxStatement.MOVE_FRONTIER, inbox, frontier);
    }

    /** Returns the number up to which all have arrived. */
    long readFrontier(Connection on) throws SQLException {
        var found = read(on, InboxStatement.READ_FRONTIER, row -> row.getLong(1), inbox);
        return found.isEmpty() ? 0 : found.get(0);
    }

    /**
     * Takes the next numbers of one ordering key whose work may be done: all earlier numbers have arrived, and those with the key are
     * done. Other transactions take other keys until this one ends.
     */
    List<InboxNumber> takeNext(Connection on, int most) throws SQLException {
        var taken = new ArrayList<>(read(on, InboxStatement.TAKE_FIRST, InboxStore::numberIn, inbox, System.currentTimeMillis()));
        if (taken.isEmpty()) return taken;
        var first = taken.get(0);
        taken.addAll(read(on, InboxStatement.TAKE_OTHERS, InboxStore::numberIn, inbox, first.sequence(), keyOf(first), most - 1));
        return taken;
    }

    /** Notes that the work of taken numbers is done. */
    void finish(Connection on, List<InboxNumber> taken) throws SQLException {
        if (taken.isEmpty()) return;
        var first = taken.get(0);
        change(on, InboxStatement.FINISH, inbox, first.sequence(), taken.get(taken.size() - 1).sequence(), keyOf(first));
    }

    /** Postpones work that failed. */
    void postpone(Connection on, InboxNumber failed) throws SQLException {
        long wait = Math.min(1_000L << Math.min(failed.tries(), 20), LONGEST_WAIT_MS);
        change(on, InboxStatement.POSTPONE, inbox, failed.sequence(), System.currentTimeMillis() + wait);
    }

    Backlog readBacklog(Connection on) throws SQLException {
        RowReader<Backlog> reader = row -> new Backlog(row.getLong(1) == 0, row.getObject(2, Long.class));
        return read(on, InboxStatement.READ_BACKLOG, reader, inbox, readFrontier(on)).get(0);
    }

    /** Deletes done numbers that arrived before a time. */
    void prune(Connection on, long before) throws SQLException {
        change(on, InboxStatement.PRUNE, inbox, before);
    }

    private static String keyOf(InboxNumber number) {
        return number.orderingKey() == null ? "" : number.orderingKey();
    }

    private static InboxNumber numberIn(ResultSet row) throws SQLException {
        return new InboxNumber(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getLong(6));
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> List<T> read(Connection on, InboxStatement statement, RowReader<T> reader, Object... values) throws SQLException {
        try (var prepared = prepared(on, statement, values); var rows = prepared.executeQuery()) {
            var found = new ArrayList<T>();
            while (rows.next()) found.add(reader.read(rows));
            return found;
        }
    }

    private static void change(Connection on, InboxStatement statement, Object... values) throws SQLException {
        try (var prepared = prepared(on, statement, values)) {
            prepared.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection on, InboxStatement statement, Object... values) throws SQLException {
        var prepared = on.prepareStatement(statement.text);
        for (int i = 0; i < statement.order.length; i++) prepared.setObject(i + 1, values[statement.order[i] - 1]);
        return prepared;
    }
}
