import { plainArrayOf } from "../db/arrays";
import type { Database } from "../db/database";
import { deliveryById } from "../db/delivery-key";
import { intervalOf } from "../db/interval";
import type { Sql } from "../db/pool";
import type { QueueKey } from "../db/queue-key";
import type { EndpointId } from "../runtime/ids";
import type { PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import { type EndpointRow, endpointColumns, type OpenSecret, viewOf } from "./endpoint-row";
import type { Page } from "./lane";
import { type Measure, PageReader } from "./page-reader";
import { bytesAtHand, type PendingRow, pendingColumns, pendingOf } from "./pending-row";
import type { Room } from "./room";

/** What is pending for an endpoint after a sequence, and the endpoint itself, seen at one moment. */
export type BacklogPage = { page: Page; endpoint: EndpointView | null };

type Request = QueueKey & { after: number };

/** Deliveries in a page. One more is looked up, to know whether there are more. */
const PAGE_DELIVERIES = 32;

/** Reads what is pending for endpoints in order. */
export class Backlog {
  private readonly reader: PageReader<Request, BacklogRow, BacklogPage>;

  /** `longestWaitMs`: see `longestWait`. */
  constructor(db: Database, openSecret: OpenSecret, room: Pick<Room, "isFull">, longestWaitMs: number) {
    const select = (sql: Sql, requests: readonly Request[], measure: Measure) =>
      selectBacklog(sql, requests, measure, longestWaitMs);
    const pageOf = (_: Request, rows: readonly BacklogRow[]) => pageIn(rows, openSecret);
    this.reader = new PageReader({ db, room, select, pageOf });
  }

  /** Throws `DatabaseUnavailable`, or an error of this endpoint's own, e.g. when its secret can't be opened. */
  read(partition: number, endpointId: EndpointId, after: number): Promise<BacklogPage> {
    return this.reader.read({ partition, endpointId, after });
  }
}

function pageIn(rows: readonly BacklogRow[], openSecret: OpenSecret): BacklogPage {
  const [first] = rows;
  if (!first) return { page: { kind: "gone" }, endpoint: null };
  const endpoint = viewOf(first, openSecret);
  if (!first.isActive) return { page: { kind: "inactive" }, endpoint };
  if (first.ordering === "unordered") return { page: { kind: "unordered" }, endpoint };
  const deliveries: PendingDelivery[] = [];
  for (const row of rows.slice(0, PAGE_DELIVERIES)) {
    const delivery = pendingOf(row);
    // One behind the first waits for a retry only if the endpoint had asked for no order before.
    const waits = deliveries.length > 0 && row.retryInMs !== null;
    if (!delivery || waits) break;
    deliveries.push(delivery);
  }
  const pending = rows.filter((row) => row.sequence !== null).length;
  const complete = deliveries.length === pending;
  const { lastSequence, retryInMs } = first;
  return { page: { kind: "active", deliveries, complete, lastSequence, retryInMs }, endpoint };
}

type BacklogRow = EndpointRow &
  PendingRow & {
    /** Milliseconds; set only while there are any left. */
    retryInMs: number | null;
  };

// With a delivery that has failed before a page is full: it may fail again, and its endpoint hang meanwhile.
// An endpoint that a message names in another partition than its own is nobody's there.
function selectBacklog(
  sql: Sql,
  requests: readonly Request[],
  { bytes, payloadBytes }: Measure,
  longestWaitMs: number,
): Promise<BacklogRow[]> {
  return sql<BacklogRow[]>`
    select i.n::integer as n, ${endpointColumns(sql)},
      p.retry_in_ms as "retryInMs", ${pendingColumns(sql, payloadBytes)}
    from unnest(
      ${plainArrayOf(requests.map((each) => each.partition))}::smallint[],
      ${plainArrayOf(requests.map((each) => each.endpointId))}::uuid[],
      ${plainArrayOf(requests.map((each) => each.after))}::bigint[]
    ) with ordinality as i(partition, endpoint_id, after, n)
    join mailboxes m on m.endpoint_id = i.endpoint_id and m.partition = i.partition
    join endpoints e on e.id = i.endpoint_id
    left join lateral (
      select w.sequence, w.delivery_id, w.attempt_count, w.single_attempt_to, w.retry_in_ms, d.event, d.ordering_key, d.replay_of, d.data,
        case when w.nth = 1
          or sum(${bytesAtHand(sql, payloadBytes)} + w.weight) over (order by w.sequence) <= ${bytes}
          then octet_length(d.data) end as bytes
      from (
        select q.sequence, q.delivery_id, q.attempt_count, q.single_attempt_to,
          case when q.next_attempt_at > now() and q.next_attempt_at <= now() + ${intervalOf(sql, longestWaitMs)}
            then (extract(epoch from q.next_attempt_at - now()) * 1000)::float8 end as retry_in_ms,
          row_number() over (order by q.sequence) as nth,
          case when q.attempt_count = 0 then 0 else ${bytes} end as weight
        from queue q
        where q.partition = i.partition and q.endpoint_id = i.endpoint_id and q.sequence > i.after
          and e.is_active and e.ordering = 'ordered'
        order by q.sequence limit ${PAGE_DELIVERIES + 1}
      ) w
      cross join lateral ${deliveryById(sql, sql`e.account_id`, sql`w.delivery_id`)} d
    ) p on true
    order by i.n, p.sequence
  `;
}
