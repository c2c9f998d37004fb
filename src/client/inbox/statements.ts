/** Most waiting numbers that one statement looks at. */
export const MOST_LOOKED_AT = 100;

const COLUMNS =
  "endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier";
const FRONTIER = "(select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0)";

/**
 * The statements of the inbox, for Postgres and SQLite: the clients of all languages have these, and so one table. $1 is the name of the
 * inbox. Row 0 of an inbox with an order has its frontier: all numbers up to there have arrived.
 */
export const INBOX_STATEMENTS = {
  createTable: `
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
    )`,
  createIndex: `
    create index if not exists hermod_inbox_waiting on hermod_inbox (endpoint, sequence) where done = 0`,
  /** $2 sequence, $3 id, $4 ordering key, $5 event, $6 body, $7 done, $8 now. Returns a row if it is new. */
  arrive: `
    insert into hermod_inbox (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, null)
    on conflict do nothing
    returning sequence`,
  /** $2 sequence */
  readArrived: `
    select id from hermod_inbox where endpoint = $1 and sequence = $2`,
  /** $2 the number in front of the first, $3 now */
  beginOrder: `
    insert into hermod_inbox (${COLUMNS}) values ($1, 0, null, null, null, '', 1, $3, 0, 0, $2)
    on conflict do nothing`,
  readBehindFrontier: `
    select n.sequence, f.frontier from hermod_inbox f
    join hermod_inbox n on n.endpoint = $1 and n.sequence > f.frontier
    where f.endpoint = $1 and f.sequence = 0
    order by n.sequence limit ${MOST_LOOKED_AT}`,
  /** $2 the new frontier */
  moveFrontier: `
    update hermod_inbox set frontier = $2 where endpoint = $1 and sequence = 0 and frontier < $2`,
  readFrontier: `
    select frontier from hermod_inbox where endpoint = $1 and sequence = 0`,
  /** $2 now. The first number whose work may be done: all earlier ones have arrived, and those with its ordering key are done. */
  takeFirst: `
    with waiting as (
      select w.sequence, coalesce(w.ordering_key, '') as ordering_key from hermod_inbox w
      where w.endpoint = $1 and w.done = 0 and w.sequence <= ${FRONTIER}
      order by w.sequence limit ${MOST_LOOKED_AT}
    )
    select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
    from hermod_inbox r
    where r.endpoint = $1 and r.done = 0 and r.retry_at <= $2
      and r.sequence in (select min(sequence) from waiting group by ordering_key)
    order by r.sequence limit 1`,
  /** $2 the first number, $3 its ordering key or '', $4 most rows. Nobody takes these while the first is taken. */
  takeOthers: `
    select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
    from hermod_inbox r
    where r.endpoint = $1 and r.done = 0 and r.sequence > $2 and coalesce(r.ordering_key, '') = $3
      and r.sequence <= ${FRONTIER}
    order by r.sequence limit $4`,
  /** $2 the first number, $3 the last, $4 their ordering key or ''. Their payloads are no longer needed. */
  finish: `
    update hermod_inbox set done = 1, body = ''
    where endpoint = $1 and done = 0 and sequence between $2 and $3 and coalesce(ordering_key, '') = $4`,
  /** $2 sequence, $3 when it is tried again */
  postpone: `
    update hermod_inbox set retry_at = $3, tries = tries + 1
    where endpoint = $1 and sequence = $2 and done = 0`,
  /** $2 the frontier. When the first number behind a gap arrived is null without a gap. */
  readBacklog: `
    select
      (select count(*) from (select 1 from hermod_inbox where endpoint = $1 and done = 0 limit 1) w) as waiting,
      (select min(arrived_at) from hermod_inbox where endpoint = $1 and sequence > $2) as gap_since`,
  /** $2 a time. Keeps numbers behind a gap. */
  prune: `
    delete from hermod_inbox
    where endpoint = $1 and done = 1 and arrived_at < $2 and sequence > 0
      and sequence <= coalesce(${FRONTIER}, sequence)`,
} as const;
