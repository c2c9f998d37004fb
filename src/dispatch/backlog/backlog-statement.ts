import type { Fragment, Sql } from "../../db/pool";
import { arrayOf, plainArrayOf } from "../../db/sql/arrays";
import { payloadOf } from "../../db/sql/event-key";
import { deliveryById, ONCE } from "../../db/sql/planner";
import { intervalOf } from "../../db/sql/time";
import type { QueueKey } from "../../domain/partition";
import type { PendingDelivery } from "../../domain/pending-delivery";
import { type EndpointColumns, endpointColumns } from "../endpoint";
import type { ReadRequest } from "../lane/page";

/** A lane's request, for one endpoint. */
export type BacklogRequest = QueueKey & ReadRequest;

/** Limits the payload bytes of a page: the first delivery always fits, others up to `bytes` in all. */
export type Measure = Readonly<{
  bytes: number;
  /** Larger payloads are read only when they may be sent. The page has their size. */
  payloadBytes: number;
}>;

/** Where a row of a page was found. `waiting` rows have no delivery. */
export type FoundBy = "retry" | "order" | "scan" | "waiting";

type Nullable<Columns> = { [Name in keyof Columns]: Columns[Name] | null };

/** A row of a page: its endpoint, and a delivery, whose columns are all null if there is none. */
export type BacklogRow = EndpointColumns &
  Nullable<Omit<PendingDelivery, "accountId" | "data">> & {
    /** The number of the request, from 1. */
    n: number;
    /** Size of the payload; null if it is beyond the page's limit. */
    bytes: number | null;
    /** Null when it is too large for the page. */
    data: string | null;
    foundBy: FoundBy | null;
    /** Place of the order in the request, from 1; 0 for rows of no order that was asked for. */
    place: number;
    /** False for a row that only marks the end of its walk. */
    isTaken: boolean;
    /** True when the walk reached its limit of rows. Rows after this one are unknown. */
    isEnd: boolean;
    /** Milliseconds until its retry is due; null when it may be attempted now. */
    retryInMs: number | null;
  };

/** Most deliveries in a page from a scan, unless a request may have more; from due retries, and from all orders asked for. */
export const PAGE = { scan: 32, retries: 16, orders: 32 } as const;
/** A crowded endpoint is no longer crowded with this many waiting retries: far below `MOST_HELD`, so that it stays so. */
export const UNCROWDED = 128;
/** Most rows that a walk looks at; the next read continues there. `probed` rows are each looked up in an index. */
export const EXAMINED = { filtered: 5_000, probed: 1_000 } as const;

/**
 * Reads pages for many endpoints in one statement. An endpoint is found in its own partition only. No walk gets longer with
 * the backlog: each follows an index from the lane's tail and ends after a bounded number of rows.
 */
export function selectBacklog(
  sql: Sql,
  requests: readonly BacklogRequest[],
  { bytes, payloadBytes }: Measure,
  longestWaitMs: number,
): Promise<BacklogRow[]> {
  const longestWait = intervalOf(sql, longestWaitMs);
  return sql<BacklogRow[]>`
    select i.n::integer as n, ${endpointColumns(sql)},
      p.found_by as "foundBy", p.place::integer as place, p.is_taken as "isTaken", p.is_end as "isEnd",
      p.retry_in_ms as "retryInMs",
      p.sequence, p.delivery_id as id, p.attempt_count as "attemptCount",
      p.free_attempts as "freeAttempts", p.next_is_free as "isFree", p.single_attempt_to is not null as "hasSingleAttempt",
      p.event, p.ordering_key as "orderingKey", p.replay_of as "replayOf", p.event_external_id as "eventExternalId", p.bytes,
      case when p.bytes <= ${payloadBytes} then p.data end as data
    from (
      select a.n, a.partition, a.endpoint_id, a.after, a.scans, a.is_crowded, a.in_flight::bigint[] as in_flight,
        a.passed::text[] as passed, a.orders::text[] as orders, a.froms::bigint[] as froms
      from unnest(
        ${plainArrayOf(requests.map((each) => each.partition))}::smallint[],
      ${plainArrayOf(requests.map((each) => each.endpointId))}::uuid[],
      ${plainArrayOf(requests.map((each) => each.after))}::bigint[],
      ${arrayOf(requests.map((each) => each.scans))}::boolean[],
      ${arrayOf(requests.map((each) => each.isCrowded))}::boolean[],
      ${arrayOf(requests.map((each) => plainArrayOf(each.inFlight)))}::text[],
      ${arrayOf(requests.map((each) => arrayOf(each.passed)))}::text[],
      ${arrayOf(requests.map((each) => arrayOf(each.orders.map(({ order }) => order))))}::text[],
      ${arrayOf(requests.map((each) => plainArrayOf(each.orders.map(({ from }) => from))))}::text[]
    ) with ordinality as a(partition, endpoint_id, after, scans, is_crowded, in_flight, passed, orders, froms, n)
      -- Keeps the arrays from being parsed anew for every row that is compared with them.
      ${sql.unsafe(ONCE)}
    ) i
    join mailboxes m on m.endpoint_id = i.endpoint_id and m.partition = i.partition
    join endpoints e on e.id = i.endpoint_id
    left join lateral (
      select c.*, d.event, d.replay_of, d.event_external_id, p.data, row_number() over page as nth,
        case when row_number() over page = 1
          or sum(case when octet_length(p.data) <= ${payloadBytes} then octet_length(p.data) else 0 end + c.weight) over page <= ${bytes}
          then octet_length(p.data) end as bytes
      from (
        select r.*, case when r.attempt_count = 0 or e.ordering <> 'ordered' then 0 else ${bytes} end as weight
        from (
          ${dueRetries(sql, longestWait)}
          union all
          ${rowsOfOrders(sql, longestWait)}
          union all
          ${rowsBehind(sql, longestWait)}
          union all
          ${waitingRetries(sql, longestWait)}
        ) r
      ) c
      left join lateral ${deliveryById(sql, sql`e.account_id`, sql`c.delivery_id`)} d
        on c.is_taken and c.retry_in_ms is null
      -- Once for each delivery: otherwise Postgres would look up an event's payload for each use.
      cross join lateral (select ${payloadOf(sql, "d")} as data ${sql.unsafe(ONCE)}) p
      window page as (order by c.rank, c.place, c.sequence)
    ) p on e.is_active and e.url is not null
    order by i.n, p.nth
  `;
}

/** SQL: the columns of a row `q` of the queue that a walk found. */
function found(
  sql: Sql,
  by: FoundBy,
  { retryInMs, place = sql`0`, isTaken = sql`true`, isEnd = sql`false` }: FoundColumns,
): Fragment {
  return sql`
    ${by} as found_by, ${RANKS[by]}::integer as rank, ${place} as place, q.sequence, q.delivery_id, q.attempt_count,
    q.free_attempts, q.next_is_free, q.single_attempt_to, q.ordering_key, ${isTaken} as is_taken, ${isEnd} as is_end, ${retryInMs} as retry_in_ms
  `;
}

type FoundColumns = { retryInMs: Fragment; place?: Fragment; isTaken?: Fragment; isEnd?: Fragment };

/** The order in which rows fill a page. */
const RANKS: Record<FoundBy, number> = { retry: 1, order: 2, scan: 3, waiting: 4 };

/** A wait longer than possible was written before Postgres' clock was set back, and is over. */
function waitOf(sql: Sql, longestWait: Fragment): Fragment {
  return sql`
    case when q.next_attempt_at > now() and q.next_attempt_at <= now() + ${longestWait}
      then (extract(epoch from q.next_attempt_at - now()) * 1000)::float8 end
  `;
}

const OF_ENDPOINT = "q.partition = i.partition and q.endpoint_id = i.endpoint_id";

/** True when nothing of the key of `q` is pending before it. Only for rows with a key. */
const IS_FIRST_OF_KEY = `not exists (
  select from queue f
  where f.partition = q.partition and f.endpoint_id = q.endpoint_id and f.ordering_key = q.ordering_key
    and f.sequence < q.sequence
)`;

/** SQL: true where Postgres decides which retries are due. */
const IS_BY_TIME = "(e.ordering = 'unordered' or i.is_crowded)";

/** Finds due retries, oldest first. */
function dueRetries(sql: Sql, longestWait: Fragment): Fragment {
  const dueWhen = (isDue: Fragment): Fragment => sql`
    (
      select ${found(sql, "retry", { isTaken: sql`q.is_taken`, isEnd: sql`q.is_end`, retryInMs: sql`null::float8` })}
      from (
        select q.*, row_number() over (order by q.next_attempt_at) = ${EXAMINED.probed} as is_end,
          e.ordering = 'unordered' or (q.ordering_key is not null and ${sql.unsafe(IS_FIRST_OF_KEY)}) as is_taken
        from queue q
        where ${sql.unsafe(OF_ENDPOINT)} and ${isDue} and q.sequence <> all(i.in_flight)
          and i.scans and ${sql.unsafe(IS_BY_TIME)}
        order by q.next_attempt_at limit ${EXAMINED.probed}
      ) q
      where q.is_taken or q.is_end
      limit ${PAGE.retries + 1}
    )
  `;
  return sql`
    ${dueWhen(sql`q.next_attempt_at <= now()`)}
    union all
    ${dueWhen(sql`q.next_attempt_at > now() + ${longestWait}`)}
  `;
}

/** Finds the first rows of the orders that the lane asks for, up to its tail. Rows without a key have no index of their own. */
function rowsOfOrders(sql: Sql, longestWait: Fragment): Fragment {
  const retryInMs = waitOf(sql, longestWait);
  const place: Fragment = sql`o.place`;
  const columns = found(sql, "order", { place, retryInMs });
  const between: Fragment = sql`${sql.unsafe(OF_ENDPOINT)} and q.sequence > o.position and q.sequence <= i.after`;
  const most: Fragment = sql`order by q.sequence limit ${PAGE.orders}::integer / cardinality(i.orders) + 1`;
  return sql`
    select r.*
    from unnest(i.orders, i.froms) with ordinality as o(name, position, place)
    cross join lateral (
      (select ${columns} from queue q where ${between} and e.ordering = 'ordered' ${most})
      union all
      (
        select ${columns} from queue q
        where ${between} and e.ordering = 'by_key' and o.name <> '' and q.ordering_key = o.name ${most}
      )
      union all
      (
        select ${found(sql, "order", { place, isTaken: sql`q.ordering_key is null`, isEnd: sql`q.is_end`, retryInMs })}
        from (
          select q.*, row_number() over (order by q.sequence) = ${EXAMINED.filtered} as is_end from queue q
          where ${between} and e.ordering = 'by_key' and o.name = ''
          order by q.sequence limit ${EXAMINED.filtered}
        ) q
        where q.ordering_key is null or q.is_end ${most}
      )
      union all
      (
        select ${columns} from queue q
        where ${between} and e.ordering = 'unordered' and q.sequence = o.position + 1
      )
    ) r
  `;
}

/** Finds the rows after the lane's tail, in sequence, without the orders that it passes over. */
function rowsBehind(sql: Sql, longestWait: Fragment): Fragment {
  const most: Fragment = sql`case when i.is_crowded then ${EXAMINED.probed}::bigint else ${EXAMINED.filtered}::bigint end`;
  const columns: FoundColumns = {
    isTaken: sql`q.is_taken`,
    isEnd: sql`q.is_end`,
    retryInMs: waitOf(sql, longestWait),
  };
  return sql`
    (
      select ${found(sql, "scan", columns)}
      from (
        select q.*, row_number() over (order by q.sequence) = ${most} as is_end,
          case e.ordering
            when 'ordered' then true
            when 'unordered' then q.next_attempt_at is null and q.sequence <> all(i.in_flight)
            else coalesce(q.ordering_key, '') <> all(i.passed) and (
              not i.is_crowded or q.ordering_key is null
              or (q.next_attempt_at is null and ${sql.unsafe(IS_FIRST_OF_KEY)})
            )
          end as is_taken
        from queue q
        where ${sql.unsafe(OF_ENDPOINT)} and q.sequence > i.after and i.scans
          and (e.ordering <> 'ordered' or i.passed = '{}')
        order by q.sequence limit ${most}
      ) q
      where q.is_taken or q.is_end
      order by q.sequence limit greatest(${PAGE.scan}::integer, e.batch_size) + 1
    )
  `;
}

/** Finds the next retries that are not due yet; for a crowded endpoint enough to decide whether it still is. */
function waitingRetries(sql: Sql, longestWait: Fragment): Fragment {
  return sql`
    (
      select ${found(sql, "waiting", { isTaken: sql`false`, retryInMs: waitOf(sql, longestWait) })}
      from queue q
      where ${sql.unsafe(OF_ENDPOINT)} and q.next_attempt_at > now() and q.next_attempt_at <= now() + ${longestWait}
        and i.scans and ${sql.unsafe(IS_BY_TIME)} and (e.ordering = 'unordered' or q.ordering_key is not null)
      order by q.next_attempt_at limit case when i.is_crowded then ${UNCROWDED + 1}::bigint else 1 end
    )
  `;
}
