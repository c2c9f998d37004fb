package dev.hermod.inbox;

import dev.hermod.json.Nullable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The table of the inbox, which clients of all languages share, in Postgres. Row 0 of an inbox with an order has its frontier: all
 * numbers up to there have arrived.
 */
final class InboxStore {
    /** Most waiting numbers that one statement looks at. */
    private static final int MOST_LOOKED_AT = 100;
    /** Failed work is tried again after a second, then after twice as long each time, up to this. */
    private static final long LONGEST_WAIT_MS = 300_000;

    private static final String[] TABLE = {
        """
        create table if not exists hermod_inbox (
          endpoint text not null,
          sequence bigint not null,
          id text,
          ordering_key text,
          event text,
          body text not null,
          done integer not null,
          arrived_at bigint not null,
          retry_at bigint not null,
          tries integer not null,
          frontier bigint,
          primary key (endpoint, sequence),
          unique (endpoint, id)
        )""",
        "create index if not exists hermod_inbox_waiting on hermod_inbox (endpoint, sequence) where done = 0",
    };
    private static final String INSERT = """
        insert into hermod_inbox
          (endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier)
        values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)
        on conflict do nothing
        returning sequence""";
    private static final String TAKEN = "select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries from hermod_inbox r ";

    private final String inbox;

    InboxStore(String inbox) {
        this.inbox = inbox;
    }

    static void createTable(Connection on) throws SQLException {
        for (var each : TABLE) change(on, each);
    }

    /** Writes a number. Returns false if it, or its id with another number, arrived before. */
    boolean arrive(Connection on, InboxNumber number, boolean isDone) throws SQLException {
        if (isNew(on, number, number.id(), isDone ? "" : number.body(), isDone)) return true;
        // A resend has the id of its original. Its number has arrived, and its work is the original's.
        if (isNew(on, number, null, "", true)) return false;
        var known = "select id from hermod_inbox where endpoint = ? and sequence = ?";
        for (var id : read(on, known, row -> row.getString(1), inbox, number.sequence()))
            if (id != null && !id.equals(number.id())) throw new NumberCameAgainException(number.sequence(), id, number.id());
        return false;
    }

    private boolean isNew(Connection on, InboxNumber number, @Nullable String id, String body, boolean isDone) throws SQLException {
        return !read(on, INSERT, row -> row.getLong(1), inbox, number.sequence(), id, number.orderingKey(), number.event(), body,
                isDone ? 1 : 0, System.currentTimeMillis(), null).isEmpty();
    }

    /** Begins an order in front of its first number, unless it has begun. */
    void beginOrder(Connection on, long from) throws SQLException {
        read(on, INSERT, row -> row.getLong(1), inbox, 0, null, null, null, "", 1, System.currentTimeMillis(), from - 1);
    }

    /** Moves the frontier over the numbers that have arrived behind it without a gap. */
    void moveFrontier(Connection on) throws SQLException {
        var next = """
            select n.sequence, f.frontier from hermod_inbox f
            join hermod_inbox n on n.endpoint = f.endpoint and n.sequence > f.frontier
            where f.endpoint = ? and f.sequence = 0
            order by n.sequence limit ?""";
        for (int passed = MOST_LOOKED_AT; passed == MOST_LOOKED_AT; ) {
            var arrived = read(on, next, row -> new long[] {row.getLong(1), row.getLong(2)}, inbox, MOST_LOOKED_AT);
            passed = 0;
            while (passed < arrived.size() && arrived.get(passed)[0] == arrived.get(0)[1] + passed + 1) passed++;
            if (passed > 0) moveFrontierTo(on, arrived.get(passed - 1)[0]);
        }
    }

    /** Moves the frontier over numbers that never arrive, such as those that the retention has removed. */
    void moveFrontierTo(Connection on, long frontier) throws SQLException {
        change(on, "update hermod_inbox set frontier = ? where endpoint = ? and sequence = 0 and frontier < ?", frontier, inbox, frontier);
    }

    /** Returns the number up to which all have arrived. */
    long readFrontier(Connection on) throws SQLException {
        var found = read(on, "select frontier from hermod_inbox where endpoint = ? and sequence = 0", row -> row.getLong(1), inbox);
        return found.isEmpty() ? 0 : found.get(0);
    }

    /**
     * Takes the next numbers of one ordering key whose work may be done: all earlier numbers have arrived, and those with the key are
     * done. Other transactions take other keys until this one ends.
     */
    List<InboxNumber> takeNext(Connection on, int most) throws SQLException {
        var first = """
            where r.endpoint = ? and r.done = 0 and r.retry_at <= ? and r.sequence in (
              select min(w.sequence) from (
                select sequence, coalesce(ordering_key, '') as ordering_key from hermod_inbox
                where endpoint = ? and done = 0
                  and sequence <= (select frontier from hermod_inbox where endpoint = ? and sequence = 0)
                order by sequence limit ?
              ) w group by w.ordering_key
            )
            order by r.sequence limit 1 for update of r skip locked""";
        var taken = new ArrayList<>(read(on, TAKEN + first, InboxStore::numberIn, inbox, System.currentTimeMillis(), inbox, inbox, MOST_LOOKED_AT));
        if (taken.isEmpty()) return taken;
        // Nobody takes these while the first is taken.
        var others = """
            where r.endpoint = ? and r.done = 0 and r.sequence > ? and coalesce(r.ordering_key, '') = ?
              and r.sequence <= (select frontier from hermod_inbox where endpoint = ? and sequence = 0)
            order by r.sequence limit ?""";
        var head = taken.get(0);
        taken.addAll(read(on, TAKEN + others, InboxStore::numberIn, inbox, head.sequence(), keyOf(head), inbox, most - 1));
        return taken;
    }

    /** Notes that the work of taken numbers is done. Their payloads are no longer needed. */
    void finish(Connection on, List<InboxNumber> taken) throws SQLException {
        if (taken.isEmpty()) return;
        var done = """
            update hermod_inbox set done = 1, body = ''
            where endpoint = ? and done = 0 and sequence between ? and ? and coalesce(ordering_key, '') = ?""";
        var first = taken.get(0);
        change(on, done, inbox, first.sequence(), taken.get(taken.size() - 1).sequence(), keyOf(first));
    }

    /** Postpones work that failed. */
    void postpone(Connection on, InboxNumber failed) throws SQLException {
        long wait = Math.min(1_000L << Math.min(failed.tries(), 20), LONGEST_WAIT_MS);
        var later = "update hermod_inbox set retry_at = ?, tries = tries + 1 where endpoint = ? and sequence = ? and done = 0";
        change(on, later, System.currentTimeMillis() + wait, inbox, failed.sequence());
    }

    /** Returns true if no work waits. */
    boolean isEmpty(Connection on) throws SQLException {
        return read(on, "select 1 from hermod_inbox where endpoint = ? and done = 0 limit 1", row -> 1, inbox).isEmpty();
    }

    /** Returns when the first number behind a gap arrived, in Unix milliseconds; null without a gap. */
    @Nullable Long gapSince(Connection on) throws SQLException {
        var arrived = "select min(arrived_at) from hermod_inbox where endpoint = ? and sequence > ?";
        return read(on, arrived, row -> row.getObject(1, Long.class), inbox, readFrontier(on)).get(0);
    }

    /** Deletes done numbers that arrived before a time. Keeps those behind a gap. */
    void prune(Connection on, long before) throws SQLException {
        var old = """
            delete from hermod_inbox
            where endpoint = ? and done = 1 and arrived_at < ? and sequence > 0 and sequence <= coalesce(
              (select frontier from hermod_inbox where endpoint = ? and sequence = 0), sequence
            )""";
        change(on, old, inbox, before, inbox);
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

    private static <T> List<T> read(Connection on, String text, RowReader<T> reader, Object... values) throws SQLException {
        try (var statement = on.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
            try (var rows = statement.executeQuery()) {
                var found = new ArrayList<T>();
                while (rows.next()) found.add(reader.read(rows));
                return found;
            }
        }
    }

    private static void change(Connection on, String text, Object... values) throws SQLException {
        try (var statement = on.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
            statement.executeUpdate();
        }
    }
}
