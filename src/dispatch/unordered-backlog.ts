import { arrayOf } from "../db/arrays";
import type { Database } from "../db/database";
import { deliveryById } from "../db/delivery-key";
import { intervalOf } from "../db/interval";
import type { Fragment, Sql } from "../db/pool";
import type { QueueKey } from "../db/queue-key";
import type { EndpointId } from "../runtime/ids";
import type { PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import { type EndpointRow, endpointColumns, type OpenSecret, viewOf } from "./endpoint-row";
import { type Measure, PageReader } from "./page-reader";
import { bytesAtHand, type PendingRow, pendingColumns, pendingOf } from "./pending-row";
import type { Room } from "./room";
import type { UnorderedPage } from "./unordered-lane";

/** What an endpoint without order has to be attempted, and the endpoint itself, seen at one moment. */
export type UnorderedBacklogPage = { page: UnorderedPage; endpoint: EndpointView | null };

type Request = QueueKey & { after: number; without: readonly number[] };

/** Retries that are due, and deliveries that were never attempted, in a page: neither keeps the other waiting. */
const PAGE_RETRIES = 16;
const PAGE_UNTRIED = 32;
/** Rows of the queue looked through for those never attempted; a million may wait for their retry in between. */
const SCANNED_ROWS = 1_000;

/** Reads what endpoints without order have to be attempted. */
export class UnorderedBacklog {
  private readonly reader: PageReader<Request, Row, UnorderedBacklogPage>;

  /** `longestWaitMs`: see `longestWait`. */
  constructor(db: Database, openSecret: OpenSecret, room: Pick<Room, "isFull">, longestWaitMs: number) {
    const select = (sql: Sql, requests: readonly Request[], measure: Measure) =>
      selectBacklog(sql, requests, measure, longestWaitMs);
    const pageOf = (request: Request, rows: readonly Row[]) => pageIn(request, rows, openSecret);
    this.reader = new PageReader({ db, room, select, pageOf });
  }

  /** Throws `DatabaseUnavailable`, or an error of this endpoint's own, e.g. when its secret can't be opened. */
  read(
    partition: number,
    endpointId: EndpointId,
    after: number,
    without: readonly number[],
  ): Promise<UnorderedBacklogPage> {
    return this.reader.read({ partition, endpointId, after, without });
  }
}

function pageIn(request: Request, rows: readonly Row[], openSecret: OpenSecret): UnorderedBacklogPage {
  const [first] = rows;
  if (!first) return { page: { kind: "gone" }, endpoint: null };
  return { page: pageOf(request, first, rows), endpoint: viewOf(first, openSecret) };
}

type Row = EndpointRow &
  PendingRow & {
    maxInFlight: number;
    /** The last row that was looked at; null when there was none after it. */
    scannedTo: number | null;
    /** Milliseconds until another retry is due. */
    retryInMs: number | null;
  };

function pageOf({ after }: Request, endpoint: Row, rows: readonly Row[]): UnorderedPage {
  if (!endpoint.isActive) return { kind: "inactive" };
  if (endpoint.ordering === "ordered") return { kind: "ordered" };
  const retries = deliveriesOf(rows.filter((row) => row.attemptCount !== 0));
  const untried = deliveriesOf(rows.filter((row) => row.attemptCount === 0));
  const taken = {
    retries: retries.taken.slice(0, PAGE_RETRIES),
    untried: untried.taken.slice(0, PAGE_UNTRIED),
  };
  const areMoreUntried = taken.untried.length < untried.count;
  const lastSeen = endpoint.scannedTo ?? endpoint.lastSequence;
  return {
    kind: "active",
    maxInFlight: endpoint.maxInFlight,
    deliveries: [...taken.retries, ...taken.untried],
    scannedTo: areMoreUntried ? (taken.untried.at(-1)?.sequence ?? after) : lastSeen,
    hasMore: areMoreUntried || endpoint.scannedTo !== null || taken.retries.length < retries.count,
    lastSequence: endpoint.lastSequence,
    retryInMs: endpoint.retryInMs,
  };
}

/** Those up to the first that did not fit, and how many there are in all. */
function deliveriesOf(rows: readonly Row[]): { taken: PendingDelivery[]; count: number } {
  const taken: PendingDelivery[] = [];
  const pending = rows.filter(({ sequence }) => sequence !== null);
  for (const row of pending) {
    const delivery = pendingOf(row);
    if (!delivery) break;
    taken.push(delivery);
  }
  return { taken, count: pending.length };
}

// Four walks over indexes, none of which a longer backlog makes longer: the rows after the tail, the retries that are
// due, those whose wait is longer than any can be, and the next one to be due.
function selectBacklog(
  sql: Sql,
  requests: readonly Request[],
  { bytes, payloadBytes }: Measure,
  longestWaitMs: number,
): Promise<Row[]> {
  const longestWait = intervalOf(sql, longestWaitMs);
  return sql<Row[]>`
    select i.n::integer as n, ${endpointColumns(sql)}, e.max_in_flight as "maxInFlight",
      s.sequence as "scannedTo", t.retry_in_ms as "retryInMs",
      ${pendingColumns(sql, payloadBytes)}
    from unnest(
      ${arrayOf(requests.map((each) => each.partition))}::smallint[],
      ${arrayOf(requests.map((each) => each.endpointId))}::uuid[],
      ${arrayOf(requests.map((each) => each.after))}::bigint[],
      ${arrayOf(requests.map((each) => arrayOf(each.without)))}::text[]
    ) with ordinality as i(partition, endpoint_id, after, without, n)
    join mailboxes m on m.endpoint_id = i.endpoint_id and m.partition = i.partition
    join endpoints e on e.id = i.endpoint_id
    left join lateral (
      select q.sequence from queue q
      where q.partition = i.partition and q.endpoint_id = i.endpoint_id and q.sequence > i.after
      order by q.sequence offset ${SCANNED_ROWS - 1} limit 1
    ) s on true
    left join lateral (
      select extract(epoch from q.next_attempt_at - now())::float8 * 1000 as retry_in_ms from queue q
      where q.partition = i.partition and q.endpoint_id = i.endpoint_id
        and q.next_attempt_at > now() and q.next_attempt_at <= now() + ${longestWait}
      order by q.next_attempt_at limit 1
    ) t on true
    left join lateral (
      select w.sequence, w.delivery_id, w.attempt_count, null::bigint as single_attempt_to, d.event, d.ordering_key, d.replay_of, d.data,
        case when w.nth = 1 or sum(${bytesAtHand(sql, payloadBytes)}) over (order by w.nth) <= ${bytes}
          then octet_length(d.data) end as bytes,
        w.nth
      from (
        ${attemptable(sql, longestWait)}
      ) w
      cross join lateral ${deliveryById(sql, sql`e.account_id`, sql`w.delivery_id`)} d
    ) p on e.is_active and e.ordering = 'unordered'
    order by i.n, p.nth
  `;
}

/**
 * Rows of the queue: the retries that are due, those that wait for longer than any can, then those never attempted, each up to
 * one more than a page takes.
 */
function attemptable(sql: Sql, longestWait: Fragment): Fragment {
  return sql`
    select c.*, row_number() over (order by c.attempt_count = 0, c.sequence) as nth
    from (
      (
        select q.sequence, q.delivery_id, q.attempt_count from queue q
        where q.partition = i.partition and q.endpoint_id = i.endpoint_id and q.next_attempt_at <= now()
          and q.sequence <> all(i.without::bigint[])
        order by q.next_attempt_at limit ${PAGE_RETRIES + 1}
      )
      union all
      (
        select q.sequence, q.delivery_id, q.attempt_count from queue q
        where q.partition = i.partition and q.endpoint_id = i.endpoint_id
          and q.next_attempt_at > now() + ${longestWait} and q.sequence <> all(i.without::bigint[])
        order by q.next_attempt_at limit ${PAGE_RETRIES + 1}
      )
      union all
      (
        select r.sequence, r.delivery_id, r.attempt_count
        from (
          select q.sequence, q.delivery_id, q.attempt_count, q.next_attempt_at from queue q
          where q.partition = i.partition and q.endpoint_id = i.endpoint_id and q.sequence > i.after
          order by q.sequence limit ${SCANNED_ROWS}
        ) r
        where r.next_attempt_at is null and r.sequence <> all(i.without::bigint[])
        order by r.sequence limit ${PAGE_UNTRIED + 1}
      )
    ) c
  `;
}
