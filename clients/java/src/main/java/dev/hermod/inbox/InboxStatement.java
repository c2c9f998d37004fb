// Written by clients/generate.ts from the statements of the inbox.
package dev.hermod.inbox;

/** The statements of the inbox. All clients have the same, and so the same table. */
enum InboxStatement {
    CREATE_TABLE("""
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
            )"""),
    CREATE_INDEX("""
            create index if not exists hermod_inbox_waiting on hermod_inbox (endpoint, sequence) where done = 0"""),
    ARRIVE("""
            insert into hermod_inbox (endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier) values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, null)
            on conflict do nothing
            returning sequence""", 1, 2, 3, 4, 5, 6, 7, 8),
    READ_ARRIVED("""
            select id from hermod_inbox where endpoint = ? and sequence = ?""", 1, 2),
    BEGIN_ORDER("""
            insert into hermod_inbox (endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier) values (?, 0, null, null, null, '', 1, ?, 0, 0, ?)
            on conflict do nothing""", 1, 3, 2),
    READ_BEHIND_FRONTIER("""
            select n.sequence, f.frontier from hermod_inbox f
            join hermod_inbox n on n.endpoint = ? and n.sequence > f.frontier
            where f.endpoint = ? and f.sequence = 0
            order by n.sequence limit 100""", 1, 1),
    MOVE_FRONTIER("""
            update hermod_inbox set frontier = ? where endpoint = ? and sequence = 0 and frontier < ?""", 2, 1, 2),
    READ_FRONTIER("""
            select frontier from hermod_inbox where endpoint = ? and sequence = 0""", 1),
    TAKE_FIRST("""
            with waiting as (
              select w.sequence, coalesce(w.ordering_key, '') as ordering_key from hermod_inbox w
              where w.endpoint = ? and w.done = 0 and w.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = ? and f.sequence = 0)
              order by w.sequence limit 100
            )
            select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
            from hermod_inbox r
            where r.endpoint = ? and r.done = 0 and r.retry_at <= ?
              and r.sequence in (select min(sequence) from waiting group by ordering_key)
            order by r.sequence limit 1
            for update of r skip locked""", 1, 1, 1, 2),
    TAKE_OTHERS("""
            select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
            from hermod_inbox r
            where r.endpoint = ? and r.done = 0 and r.sequence > ? and coalesce(r.ordering_key, '') = ?
              and r.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = ? and f.sequence = 0)
            order by r.sequence limit ?""", 1, 2, 3, 1, 4),
    FINISH("""
            update hermod_inbox set done = 1, body = ''
            where endpoint = ? and done = 0 and sequence between ? and ? and coalesce(ordering_key, '') = ?""", 1, 2, 3, 4),
    POSTPONE("""
            update hermod_inbox set retry_at = ?, tries = tries + 1
            where endpoint = ? and sequence = ? and done = 0""", 3, 1, 2),
    READ_BACKLOG("""
            select
              (select count(*) from (select 1 from hermod_inbox where endpoint = ? and done = 0 limit 1) w) as waiting,
              (select min(arrived_at) from hermod_inbox where endpoint = ? and sequence > ?) as gap_since""", 1, 1, 2),
    PRUNE("""
            delete from hermod_inbox
            where endpoint = ? and done = 1 and arrived_at < ? and sequence > 0
              and sequence <= coalesce((select f.frontier from hermod_inbox f where f.endpoint = ? and f.sequence = 0), sequence)""", 1, 2, 1);

    final String text;
    /** The number of the value in place of each question mark, from 1. */
    final int[] order;

    InboxStatement(String text, int... order) {
        this.text = text;
        this.order = order;
    }
}
