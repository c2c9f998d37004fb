import type { Fragment, TransactionSql } from "../db/pool";
import { plainArrayOf } from "../db/sql/arrays";
import { payloadOf } from "../db/sql/event-key";
import { deliveryById, ONCE } from "../db/sql/planner";
import { intervalOf } from "../db/sql/time";
import type { DeliveryId } from "../domain/ids";
import type { PulledDelivery } from "./pull";
import type { Reader } from "./reader";

/** Most bytes of the payloads of a page; a single delivery may have more. */
export const PAGE_BYTES = 4 * 1_048_576;
/** Most rows that a search for one page looks at; the next request continues there. */
export const EXAMINED = 5_000;
/** Most rows that a search for the first delivery without a key looks at. */
export const SEARCHED_KEYLESS = 1_000;

/** The deliveries of a page, and where the next search begins. */
export type FoundPage = Readonly<{ deliveries: readonly PulledDelivery[]; position: string | null }>;

/** A row of the queue that may be handed out. */
type Candidate = Readonly<{
  sequence: number;
  deliveryId: DeliveryId;
  attemptCount: number;
  orderingKey: string | null;
}>;

/** Finds the next deliveries that a receiver may have, in sequence. Each order has one of them at most, unless it is `ordered`. */
export async function findPage(
  sql: TransactionSql,
  reader: Reader,
  { limit, after, longestWaitMs }: { limit: number; after: string | null; longestWaitMs: number },
): Promise<FoundPage> {
  const search = { sql, reader, limit, after, isDue: isDue(sql, longestWaitMs) };
  const { candidates, position } = await SEARCHES[reader.ordering](search);
  const inSequence = candidates.toSorted((a, b) => a.sequence - b.sequence);
  const deliveries = await withPayloads(sql, reader, inSequence);
  const leftOut = inSequence[deliveries.length];
  if (reader.ordering !== "unordered" || !leftOut) return { deliveries, position };
  // What did not fit is found again.
  return { deliveries, position: String(Math.min(Number(position ?? 0), leftOut.sequence - 1)) };
}

/** `after`: the position where the last search ended; null for none. */
type Search = { sql: TransactionSql; reader: Reader; limit: number; after: string | null; isDue: Fragment };
type Candidates = { candidates: readonly Candidate[]; position: string | null };

const SEARCHES = { ordered: firstInOrder, by_key: firstOfKeys, unordered: anyDue };

/**
 * SQL: true for a row `q` that may be handed out now. Stored times are rounded to a millisecond. A longer wait was written before
 * Postgres' clock was set back.
 */
function isDue(sql: TransactionSql, longestWaitMs: number): Fragment {
  return sql`(
    q.next_attempt_at is null or q.next_attempt_at <= now() + interval '1 millisecond' or q.next_attempt_at > now() + ${intervalOf(sql, longestWaitMs)}
  )`;
}

function ofReader(sql: TransactionSql, { partition, endpointId }: Reader): Fragment {
  return sql`q.partition = ${partition}::smallint and q.endpoint_id = ${endpointId}`;
}

function columns(sql: TransactionSql): Fragment {
  return sql`
    q.sequence, q.delivery_id as "deliveryId", q.attempt_count as "attemptCount", q.ordering_key as "orderingKey"
  `;
}

/** Takes the first deliveries up to one that waits for its retry. */
async function firstInOrder({ sql, reader, limit, isDue }: Search): Promise<Candidates> {
  const rows = await sql<(Candidate & { isDue: boolean })[]>`
    select ${columns(sql)}, ${isDue} as "isDue" from queue q
    where ${ofReader(sql, reader)} order by q.sequence limit ${limit}
  `;
  const end = rows.findIndex((row) => !row.isDue);
  return { candidates: end === -1 ? rows : rows.slice(0, end), position: null };
}

/**
 * Takes the first delivery of each key, in turns: from key to key in the index, from where the last request ended. Deliveries
 * without a key are an order among themselves.
 */
async function firstOfKeys(search: Search): Promise<Candidates> {
  const { limit, after } = search;
  const keyless = await firstKeyless(search);
  const wanted = limit - keyless.length;
  const { found, last } = await walkKeys(search, after, wanted);
  const isEnd = last === null;
  if (!isEnd || after === null) return { candidates: [...keyless, ...found], position: last };
  const again = await walkKeys(search, null, wanted - found.length);
  const known = new Set(found.map(({ sequence }) => sequence));
  const others = again.found.filter(({ sequence }) => !known.has(sequence));
  return { candidates: [...keyless, ...found, ...others], position: again.last };
}

async function walkKeys(
  { sql, reader, isDue }: Search,
  after: string | null,
  limit: number,
): Promise<{ found: Candidate[]; last: string | null }> {
  if (limit <= 0) return { found: [], last: after };
  const nextKey = (key: Fragment): Fragment => sql`(
    select q.ordering_key from queue q
    where ${ofReader(sql, reader)} and q.ordering_key is not null and q.ordering_key > ${key}
    order by q.ordering_key limit 1
  )`;
  const rows = await sql<(Candidate & { key: string | null; isFree: boolean | null })[]>`
    with recursive keys as (
      select ${nextKey(sql`${after ?? ""}::text`)} as key, 1 as n
      union all
      select ${nextKey(sql`k.key`)}, k.n + 1 from keys k where k.key is not null and k.n < ${EXAMINED}
    )
    select * from (
      select k.key, k.n, h.*, h."isDue" and not exists (
        select from pulls p where p.endpoint_id = ${reader.endpointId} and k.key = any(p.ordering_keys)
      ) as "isFree"
      from keys k left join lateral (
        select ${columns(sql)}, ${isDue} as "isDue" from queue q
        where ${ofReader(sql, reader)} and q.ordering_key = k.key order by q.sequence limit 1
      ) h on true
    ) h
    where h."isFree" or h.key is null or h.n = ${EXAMINED}
    order by h.n limit ${limit}
  `;
  const found = rows.filter(({ isFree }) => isFree === true);
  return { found, last: rows.at(-1)?.key ?? null };
}

async function firstKeyless({ sql, reader, isDue }: Search): Promise<Candidate[]> {
  return sql<Candidate[]>`
    select * from (
      select ${columns(sql)}, ${isDue} as "isDue" from (
        select q.* from queue q where ${ofReader(sql, reader)} order by q.sequence limit ${SEARCHED_KEYLESS}
      ) q
      where q.ordering_key is null order by q.sequence limit 1
    ) h
    where h."isDue" and not exists (
      select from pulls p where p.endpoint_id = ${reader.endpointId} and h.sequence = any(p.sequences)
    )
  `;
}

/** Takes due retries, and then deliveries that were never handed out, from where the last request ended. */
async function anyDue({ sql, reader, limit, after, isDue }: Search): Promise<Candidates> {
  const taken: Fragment = sql`
    (select coalesce(array_agg(s.sequence), '{}') from pulls p, unnest(p.sequences) as s(sequence) where p.endpoint_id = ${reader.endpointId})
  `;
  const retries = await sql<Candidate[]>`
    select ${columns(sql)} from queue q
    where ${ofReader(sql, reader)} and q.next_attempt_at is not null and ${isDue} and q.sequence <> all(${taken}::bigint[])
    order by q.next_attempt_at limit ${limit}
  `;
  const most = limit - retries.length;
  const position = Number(after ?? 0);
  const rows = await sql<(Candidate & { isFresh: boolean })[]>`
    select * from (
      select ${columns(sql)}, q.next_attempt_at is null and q.sequence <> all(${taken}::bigint[]) as "isFresh",
        row_number() over (order by q.sequence) as n
      from queue q where ${ofReader(sql, reader)} and q.sequence > ${position} order by q.sequence limit ${EXAMINED}
    ) q
    where q."isFresh" or q.n = ${EXAMINED}
    order by q.sequence limit ${most}
  `;
  const fresh = rows.filter(({ isFresh }) => isFresh);
  return { candidates: [...retries, ...fresh], position: String(rows.at(-1)?.sequence ?? position) };
}

type PayloadRow = Pick<PulledDelivery, "id" | "replayOf" | "eventExternalId" | "event" | "data"> & {
  fits: boolean;
};

/** Adds the payloads, up to the first that does not fit. */
async function withPayloads(
  sql: TransactionSql,
  { accountId }: Reader,
  candidates: readonly Candidate[],
): Promise<PulledDelivery[]> {
  if (candidates.length === 0) return [];
  const rows = await sql<PayloadRow[]>`
    select p.id, p.replay_of as "replayOf", p.event_external_id as "eventExternalId", p.event, p.fits, case when p.fits then p.data end as data
    from (
      select d.id, d.replay_of, d.event_external_id, d.event, x.data, i.n,
        i.n = 1 or sum(octet_length(x.data)) over (order by i.n) <= ${PAGE_BYTES} as fits
      from unnest(${plainArrayOf(candidates.map(({ deliveryId }) => deliveryId))}::uuid[]) with ordinality as i(id, n)
      cross join lateral ${deliveryById(sql, accountId, sql`i.id`)} d
      cross join lateral (select ${payloadOf(sql, "d")} as data ${sql.unsafe(ONCE)}) x
    ) p
    order by p.n
  `;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = candidates.map((candidate) => ({ candidate, payload: byId.get(candidate.deliveryId) }));
  const end = found.findIndex(({ payload }) => payload === undefined || !payload.fits);
  return (end === -1 ? found : found.slice(0, end)).map(({ candidate, payload }) => ({
    id: candidate.deliveryId,
    sequence: candidate.sequence,
    orderingKey: candidate.orderingKey,
    attempt: candidate.attemptCount + 1,
    replayOf: payload?.replayOf ?? null,
    eventExternalId: payload?.eventExternalId ?? null,
    event: payload?.event ?? null,
    data: payload?.data ?? null,
  }));
}
