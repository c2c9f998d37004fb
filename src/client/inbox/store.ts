import type { InboxQuery, InboxRow } from "./database.ts";

/**
 * The table of the inbox, for Postgres and SQLite. Row 0 of an inbox with an order has its frontier: all numbers up to there have
 * arrived.
 */
export const INBOX_TABLE = [
  `create table if not exists hermod_inbox (
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
  "create index if not exists hermod_inbox_waiting on hermod_inbox (endpoint, sequence) where done = 0",
];

/** A number as it arrived. `body` is '' if it needs no work. `isDone` is true if its work is done in the same transaction. */
export type ArrivedNumber = Readonly<{
  sequence: number;
  id: string;
  orderingKey: string | null;
  event: string | null;
  body: string;
  isDone: boolean;
}>;

/** The next number to do the work of; none if its `body` is ''. */
export type TakenNumber = Omit<ArrivedNumber, "isDone"> & { tries: number };

/** A number came again with another id: Hermod's Postgres was restored, and gives numbers anew. */
export class NumberCameAgain extends Error {
  constructor(sequence: number, known: string, id: string) {
    super(
      `number ${sequence} was ${known} and came again as ${id}: Hermod was restored from a backup; give the inbox another \`name\``,
    );
    this.name = "NumberCameAgain";
  }
}

/** Most waiting numbers that one statement looks at. */
const MOST_LOOKED_AT = 100;
/** Failed work is tried again after a second, then after twice as long each time, up to this. */
const LONGEST_WAIT_MS = 300_000;

const COLUMNS =
  "endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier";

/** Writes an arrived number. Resolves to false if it, or its id with another number, arrived before. */
export async function arrive(query: InboxQuery, inbox: string, number: ArrivedNumber): Promise<boolean> {
  const { sequence, id, orderingKey, event, body, isDone } = number;
  const insert = `
    insert into hermod_inbox (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, null)
    on conflict do nothing
    returning sequence`;
  const now = Date.now();
  const first = await query(insert, [inbox, sequence, id, orderingKey, event, body, isDone ? 1 : 0, now]);
  if (first.length > 0) return true;
  // A resend has the id of its original. Its number has arrived, and its work is the original's.
  const resent = await query(insert, [inbox, sequence, null, orderingKey, event, "", 1, now]);
  if (resent.length > 0) return false;
  const [known] = await query("select id from hermod_inbox where endpoint = $1 and sequence = $2", [
    inbox,
    sequence,
  ]);
  if (typeof known?.id === "string" && known.id !== id) throw new NumberCameAgain(sequence, known.id, id);
  return false;
}

/** Begins an order in front of its first number, unless it has begun. */
export async function beginOrder(query: InboxQuery, inbox: string, from: number): Promise<void> {
  const row = `insert into hermod_inbox (${COLUMNS}) values ($1, 0, null, null, null, '', 1, $3, 0, 0, $2) on conflict do nothing`;
  await query(row, [inbox, from - 1, Date.now()]);
}

/** Moves the frontier over the numbers that have arrived behind it without a gap. */
export async function moveFrontier(query: InboxQuery, inbox: string): Promise<void> {
  const text = `
    select n.sequence, f.frontier from hermod_inbox f
    join hermod_inbox n on n.endpoint = $1 and n.sequence > f.frontier
    where f.endpoint = $1 and f.sequence = 0
    order by n.sequence limit ${MOST_LOOKED_AT}`;
  for (let isMoved = true; isMoved; ) {
    const rows = await query(text, [inbox]);
    const gap = rows.findIndex(({ sequence, frontier }, i) => Number(sequence) !== Number(frontier) + i + 1);
    const last = rows.at(gap === -1 ? -1 : gap - 1);
    if (gap !== 0 && last) await moveFrontierTo(query, inbox, Number(last.sequence));
    isMoved = gap === -1 && rows.length === MOST_LOOKED_AT;
  }
}

/** Moves the frontier over numbers that never arrive, such as those that the retention has removed. */
export async function moveFrontierTo(query: InboxQuery, inbox: string, frontier: number): Promise<void> {
  const move = "update hermod_inbox set frontier = $2 where endpoint = $1 and sequence = 0 and frontier < $2";
  await query(move, [inbox, frontier]);
}

/** Returns the number up to which all have arrived. */
export async function readFrontier(query: InboxQuery, inbox: string): Promise<number> {
  const [row] = await query("select frontier from hermod_inbox where endpoint = $1 and sequence = 0", [
    inbox,
  ]);
  return Number(row?.frontier ?? 0);
}

/**
 * Takes the next numbers of one ordering key whose work may be done: all earlier numbers have arrived, and those with the key are
 * done. Other transactions take other keys until this one ends. `taking`: see `InboxDatabase`.
 */
export async function takeNext(
  query: InboxQuery,
  inbox: string,
  { taking, most }: { taking: string; most: number },
): Promise<TakenNumber[]> {
  const text = `
    with waiting as (
      select w.sequence, coalesce(w.ordering_key, '') as ordering_key from hermod_inbox w
      where w.endpoint = $1 and w.done = 0
        and w.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0)
      order by w.sequence limit ${MOST_LOOKED_AT}
    )
    select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
    from hermod_inbox r
    where r.endpoint = $1 and r.done = 0 and r.retry_at <= $2
      and r.sequence in (select min(sequence) from waiting group by ordering_key)
    order by r.sequence limit 1${taking}`;
  const [row] = await query(text, [inbox, Date.now()]);
  if (!row) return [];
  const first = takenOf(row);
  // Nobody takes these while the first is taken.
  const others = `
    select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
    from hermod_inbox r
    where r.endpoint = $1 and r.done = 0 and r.sequence > $2 and coalesce(r.ordering_key, '') = $3
      and r.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0)
    order by r.sequence limit ${most - 1}`;
  const rows = await query(others, [inbox, first.sequence, first.orderingKey ?? ""]);
  return [first, ...rows.map(takenOf)];
}

function takenOf(row: InboxRow): TakenNumber {
  return {
    sequence: Number(row.sequence),
    id: String(row.id),
    orderingKey: textOrNull(row.ordering_key),
    event: textOrNull(row.event),
    body: String(row.body),
    tries: Number(row.tries),
  };
}

/** Notes that the work of taken numbers is done. Their payloads are no longer needed. */
export async function finish(query: InboxQuery, inbox: string, taken: readonly TakenNumber[]): Promise<void> {
  const [first, last] = [taken[0], taken.at(-1)];
  if (!first || !last) return;
  const text = `
    update hermod_inbox set done = 1, body = ''
    where endpoint = $1 and done = 0 and sequence between $2 and $3 and coalesce(ordering_key, '') = $4`;
  await query(text, [inbox, first.sequence, last.sequence, first.orderingKey ?? ""]);
}

/** Postpones work that failed. */
export async function postpone(query: InboxQuery, inbox: string, failed: TakenNumber): Promise<void> {
  const wait = Math.min(1_000 * 2 ** Math.min(failed.tries, 20), LONGEST_WAIT_MS);
  const text = `
    update hermod_inbox set retry_at = $3, tries = tries + 1
    where endpoint = $1 and sequence = $2 and done = 0`;
  await query(text, [inbox, failed.sequence, Date.now() + wait]);
}

/** What an order waits for. `gapSince`: when the first number behind a gap arrived, Unix milliseconds; null without a gap. */
export type InboxBacklog = { isEmpty: boolean; gapSince: number | null };

export async function readBacklog(query: InboxQuery, inbox: string): Promise<InboxBacklog> {
  const text = `
    select
      (select count(*) from (select 1 from hermod_inbox where endpoint = $1 and done = 0 limit 1) w) as waiting,
      (select min(arrived_at) from hermod_inbox where endpoint = $1 and sequence > $2) as gap_since`;
  const [row] = await query(text, [inbox, await readFrontier(query, inbox)]);
  const since = row?.gap_since ?? null;
  return { isEmpty: Number(row?.waiting) === 0, gapSince: since === null ? null : Number(since) };
}

/** Deletes done numbers that arrived before a time. Keeps those behind a gap. */
export async function prune(query: InboxQuery, inbox: string, before: number): Promise<void> {
  const text = `
    delete from hermod_inbox
    where endpoint = $1 and done = 1 and arrived_at < $2 and sequence > 0 and sequence <= coalesce(
      (select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0), sequence
    )`;
  await query(text, [inbox, before]);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
