import type { Sql } from "../db/pool";
import { deliveryById } from "../db/sql/planner";
import { unixMs } from "../db/sql/time";
import type { AccountId, EndpointId } from "../domain/ids";
import type { DeliverySummary } from "./delivery";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./lists/summary";

export type BacklogQuery = Readonly<{
  limit: number;
  /** The last endpoint that the previous page read. */
  after?: EndpointId | undefined;
}>;

/**
 * An endpoint with pending deliveries: their number, up to `MOST_PENDING`, the first one, and since when that one waits, Unix
 * milliseconds. A scheduled delivery waits since it was due.
 */
export type EndpointBacklog = {
  endpointId: EndpointId;
  /** True if the account set the endpoint inactive. */
  isPaused: boolean;
  pending: number;
  since: number;
  head: DeliverySummary;
};

/** `next` is the last endpoint read, if there are more. A page may have fewer endpoints than its limit, even none. */
export type EndpointBacklogPage = { data: EndpointBacklog[]; next: EndpointId | null };

/** Most endpoints that one page reads. */
const MAX_READ = 5_000;
/** Most pending deliveries of an endpoint that are counted. */
export const MOST_PENDING = 1_000;

/** A delivery is late once it has been pending for this many milliseconds. Before, it is usually in flight. */
export const LATE_MS = 5_000;

/** True if the first delivery waits for longer than receivers usually take, and not for the account. */
export function isLate({ since, isPaused }: EndpointBacklog, usualMs: number, now: number): boolean {
  return !isPaused && now - since > Math.max(LATE_MS, usualMs);
}

type EndpointBacklogRow = SummaryRow &
  Pick<EndpointBacklog, "isPaused" | "pending"> & { dueAt: number | null };

/** Reads a page of the account's endpoints with pending deliveries, newest first. Reads only the queue. */
export async function readBacklog(
  sql: Sql,
  accountId: AccountId,
  query: BacklogQuery,
): Promise<EndpointBacklogPage> {
  const { limit, after } = query;
  const rows = await selectHeads(sql, accountId, query);
  const shown = rows.slice(0, limit);
  const data = shown.map(({ isPaused, pending, dueAt, ...row }) => {
    const head = toSummary(row);
    const since = Math.max(head.createdAt, dueAt ?? 0);
    return { endpointId: head.endpointId, isPaused, pending, since, head };
  });
  const last = rows.length > limit ? shown.at(-1)?.endpointId : await searchedTo(sql, accountId, after);
  return { data, next: last ?? null };
}

// One statement, so that each head is pending: a later one could find it delivered.
function selectHeads(
  sql: Sql,
  accountId: AccountId,
  { limit, after }: BacklogQuery,
): Promise<EndpointBacklogRow[]> {
  return sql<EndpointBacklogRow[]>`
    with examined as materialized (
      select e.id, not e.is_active and e.disabled_reason is null as is_paused from endpoints e
      where e.account_id = ${accountId} and e.deleted_at is null
        and ${after === undefined ? sql`true` : sql`e.id < ${after}`}
      order by e.id desc limit ${MAX_READ}
    ),
    waiting as materialized (
      select l.id as endpoint_id, l.is_paused, m.partition, q.delivery_id
      from examined l
      join mailboxes m on m.endpoint_id = l.id
      cross join lateral (
        select q.delivery_id from queue q where q.partition = m.partition and q.endpoint_id = m.endpoint_id
        order by q.sequence limit 1
      ) q
      order by l.id desc limit ${limit + 1}
    )
    select ${summaryColumns(sql)}, ${unixMs(sql, "d.due_at")} as "dueAt", w.is_paused as "isPaused",
      b.pending::integer as pending
    from waiting w
    cross join lateral ${deliveryById(sql, accountId, sql`w.delivery_id`)} d
    ${summaryJoins(sql)}
    cross join lateral (
      select count(*) as pending
      from (
        select from queue q where q.partition = w.partition and q.endpoint_id = w.endpoint_id limit ${MOST_PENDING}
      ) x
    ) b
    order by w.endpoint_id desc
  `;
}

/** Returns the last endpoint that a page reads; undefined if no more follow. */
async function searchedTo(
  sql: Sql,
  accountId: AccountId,
  after: EndpointId | undefined,
): Promise<EndpointId | undefined> {
  const [row] = await sql<{ id: EndpointId }[]>`
    select e.id from endpoints e
    where e.account_id = ${accountId} and e.deleted_at is null
      and ${after === undefined ? sql`true` : sql`e.id < ${after}`}
    order by e.id desc limit 1 offset ${MAX_READ - 1}
  `;
  return row?.id;
}
