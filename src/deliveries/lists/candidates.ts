import type { Fragment, Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { payloadOf } from "../../db/sql/event-key";
import { type AccountRef, isOfEvent } from "../../db/sql/planner";
import type { DeliveryStatus } from "../../domain/delivery-status";
import type { EndpointId } from "../../domain/ids";
import type { DeliveryFilters } from "../delivery";
import { type EndpointQueue, endedIds, idsOfEndpoint, pendingIds } from "./endpoint-ids";
import { type IdRange, within, withinOfEvent } from "./id-range";
import { literal } from "./row-limit";
import type { DeliverySearch } from "./search";
import { attemptJoins, isBetween, payloadMatches, searches, searchesDelivery } from "./search";

/**
 * The index from which a list is read. It has the deliveries of one filter in the order of ids, or for `queue` the backlog of an
 * endpoint. The other filters are checked for each delivery.
 */
export type ListIndex =
  | { by: "account" }
  | { by: "event"; event: string }
  | { by: "endpoint"; queue: EndpointQueue }
  | { by: "status"; status: DeliveryStatus }
  | { by: "queue"; queue: EndpointQueue }
  /**
   * Everything that did not succeed at its first attempt. Its rows have the columns that the filters by status, endpoint
   * and response status check.
   */
  | { by: "trouble" };

/** The deliveries that a list may contain. */
export type ListScan = {
  accountId: AccountRef;
  index: ListIndex;
  range: IdRange;
  /** Filters that the index does not cover. */
  others: DeliverySearch;
  /** Leaves out the deliveries to these endpoints. */
  except?: readonly EndpointId[] | undefined;
};

/** Returns the filters that the index does not cover. */
export function residualFilters(index: ListIndex, filters: DeliverySearch): DeliverySearch {
  const { by } = index;
  const { event, endpointId, status } = filters;
  return {
    ...filters,
    event: by === "event" ? undefined : event,
    endpointId: by === "endpoint" || by === "queue" ? undefined : endpointId,
    status: by === "status" || by === "queue" ? undefined : status,
  };
}

/**
 * True if most deliveries of the index must be looked up. False for `trouble` if one of its columns excludes most of them
 * before.
 */
export function needsLookUps(index: ListIndex, filters: DeliverySearch): boolean {
  const residual = residualFilters(index, filters);
  const { event, error, endpointId, responseStatus, status } = residual;
  const isAny = (...given: unknown[]) => given.some((each) => each !== undefined);
  const isLookedUp = isAny(event, error) || searchesDelivery(residual);
  return index.by === "trouble"
    ? isLookedUp && !isAny(endpointId, responseStatus)
    : isLookedUp || isAny(endpointId, responseStatus, status);
}

/** Counts the given filters that have a counter or an index. */
export function filterCount({ event, endpointId, status }: DeliveryFilters): number {
  return [event, endpointId, status].filter((each) => each !== undefined).length;
}

/** True if the rows of the index must be checked one by one. */
export function isNarrowed({ others, except }: Pick<ListScan, "others" | "except">): boolean {
  return filterCount(others) > 0 || searches(others) || except !== undefined;
}

/**
 * Selects the `id` of all rows of the index, unsorted. Adds the columns that `otherFilters` checks, if the index leads to the
 * row of the delivery or the result anyway. `newest` is the number of rows with the greatest ids that are enough.
 */
export function indexRows(sql: Sql, candidates: ListScan, newest = Number.MAX_SAFE_INTEGER): Fragment {
  const { accountId, index, range } = candidates;
  const columns = readsDelivery(candidates) ? sql`d.id, d.event, d.endpoint_id` : sql`d.id`;
  switch (index.by) {
    case "account":
      return sql`
        select ${columns} from deliveries d where d.account_id = ${accountId} ${within(sql, range, "d.id")}
      `;
    case "event":
      return sql`
        select ${columns} from deliveries d
        where d.account_id = ${accountId} and ${isOfEvent(sql, "d", index.event)}
          ${withinOfEvent(sql, range, "d", index.event)}
      `;
    case "endpoint":
      // A status among the other filters is never `pending` here (see `chooseIndex`).
      return candidates.others.status === undefined
        ? idsOfEndpoint(sql, accountId, index.queue, range, { order: "newest", rows: newest })
        : endedIds(sql, index.queue, range);
    case "status":
      return idsOfStatus(sql, index.status, candidates);
    case "queue":
      return pendingIds(sql, accountId, index.queue, range);
    case "trouble":
      return troubledRows(sql, candidates, newest);
  }
}

/**
 * SQL: joins and a condition that keep the rows `c` of the index that match the other filters. Each join is a look-up with a
 * limit, so no plan can scan the whole table.
 */
export function otherFilters(sql: Sql, candidates: ListScan): Fragment {
  const { accountId, index, others, except } = candidates;
  if (index.by === "trouble") return troubleFilters(sql, candidates);
  const { event, endpointId, status } = others;
  const condition = sql`
    ${event === undefined ? sql`true` : sql`c.event = ${event}`}
    and ${endpointId === undefined ? sql`true` : sql`c.endpoint_id = ${endpointId}`}
    and ${isNotTo(sql, except, "c")}
  `;
  const looksUp = looksAtDelivery(candidates) && !readsDelivery(candidates);
  return sql`
    ${looksUp ? deliveryCheck(sql, accountId, others, except) : sql``}
    ${status === undefined ? sql`` : statusCheck(sql, accountId, status)}
    ${attemptJoins(sql, others, { accountId, id: sql`c.id`, endpointId: endpointOf(sql, candidates) })}
    where ${readsDelivery(candidates) ? condition : sql`true`}
  `;
}

/** The same for rows of `troubledRows`, which have most of the columns. */
function troubleFilters(sql: Sql, { accountId, others, except }: ListScan): Fragment {
  const { endpointId, status, responseStatus, error, ...ofDelivery } = others;
  const isLookedUp = ofDelivery.event !== undefined || searchesDelivery(ofDelivery);
  return sql`
    ${isLookedUp ? deliveryCheck(sql, accountId, ofDelivery) : sql``}
    ${attemptJoins(sql, { error }, { accountId, id: sql`c.id`, endpointId: sql`c.endpoint_id` })}
    where c.may_match
      and ${status === undefined ? sql`true` : sql`c.status = ${status}::delivery_status`}
      and ${endpointId === undefined ? sql`true` : sql`c.endpoint_id = ${endpointId}`}
      and ${responseStatus === undefined ? sql`true` : isBetween(sql, "c.response_status", responseStatus)}
      and ${isNotTo(sql, except, "c")}
  `;
}

function isNotTo(sql: Sql, except: ListScan["except"], row: "c" | "x"): Fragment {
  if (except === undefined) return sql`true`;
  return sql`${sql.unsafe(row)}.endpoint_id <> all(${arrayOf(except)}::uuid[])`;
}

function isOfDeliveries({ by }: ListIndex): boolean {
  return by === "account" || by === "event";
}

/** True if the other filters need a column of the delivery or its endpoint. */
function looksAtDelivery({ index, others, except }: ListScan): boolean {
  const { event, endpointId, responseStatus } = others;
  const isFiltered = [event, endpointId, except].some((each) => each !== undefined);
  return isFiltered || searchesDelivery(others) || (responseStatus !== undefined && isOfDeliveries(index));
}

/** SQL: the endpoint of the candidate `c`, to look up its result. */
function endpointOf(sql: Sql, candidates: ListScan): Fragment {
  const { index } = candidates;
  if (index.by === "endpoint" || index.by === "queue") return sql`${index.queue.endpointId}::uuid`;
  const isElsewhere = isOfDeliveries(index) && !readsDelivery(candidates);
  return isElsewhere ? sql`same_delivery.endpoint_id` : sql`c.endpoint_id`;
}

/** SQL: the column that `endpointOf` reads, for rows of results or of the queue. */
function endpointColumn(sql: Sql, { others }: ListScan, table: "r" | "q"): Fragment {
  return others.responseStatus === undefined ? sql`` : sql`, ${sql.unsafe(`${table}.endpoint_id`)}`;
}

/**
 * True if the rows of the index have the delivery's columns that the other filters check. Payloads are looked up separately. If
 * whole rows are read, Postgres may prefer another index in the order of ids, and read unrelated rows: 16 s for an account
 * without a match (measured).
 */
function readsDelivery(candidates: ListScan): boolean {
  const { index, others } = candidates;
  return isOfDeliveries(index) && looksAtDelivery(candidates) && !searchesDelivery(others);
}

/**
 * Selects the ended deliveries of the index `results_troubled`, by its condition word for word, and reads only its columns. Adds
 * the pending deliveries. Each part has a limit. Otherwise Postgres sorts all rows of both parts together: 0.5 s per statement
 * with 600,000 pending deliveries (measured). `may_match` is false only for pending deliveries that were never attempted. It is a
 * column and not a condition, so that the limit bounds the rows that are read.
 */
function troubledRows(sql: Sql, { accountId, range, others }: ListScan, newest: number): Fragment {
  const end = sql`order by 1 desc limit ${literal(sql, newest)}`;
  const ended: Fragment = sql`(
    select r.delivery_id as id, r.status, r.endpoint_id, r.response_status, true as may_match from results r
    where r.account_id = ${accountId} and r.duration_ms is null ${within(sql, range, "r.delivery_id")} ${end}
  )`;
  const pending: Fragment = sql`(
    select q.delivery_id as id, 'pending'::delivery_status as status, q.endpoint_id, q.response_status,
      q.attempt_count > 0 as may_match
    from queue q where q.account_id = ${accountId} ${within(sql, range, "q.delivery_id")} ${end}
  )`;
  if (others.status === "pending") return sql`select * from ${pending} as troubled`;
  if (others.status !== undefined) return sql`select * from ${ended} as troubled`;
  return sql`select * from (${ended} union all ${pending}) as troubled`;
}

function idsOfStatus(sql: Sql, status: DeliveryStatus, candidates: ListScan): Fragment {
  const { accountId, range } = candidates;
  if (status === "pending") {
    return sql`
      select q.delivery_id as id ${endpointColumn(sql, candidates, "q")} from queue q
      where q.account_id = ${accountId} ${within(sql, range, "q.delivery_id")}
    `;
  }
  return sql`
    select r.delivery_id as id ${endpointColumn(sql, candidates, "r")} from results r
    where r.account_id = ${accountId} and r.status = ${status}::delivery_status
      ${within(sql, range, "r.delivery_id")}
  `;
}

function deliveryCheck(
  sql: Sql,
  accountId: AccountRef,
  { event, endpointId, orderingKey, sequence, payload }: DeliverySearch,
  except?: ListScan["except"],
): Fragment {
  return sql`
    cross join lateral (
      select x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = c.id
        ${event === undefined ? sql`` : sql`and x.event = ${event}`}
        ${endpointId === undefined ? sql`` : sql`and x.endpoint_id = ${endpointId}`}
        ${orderingKey === undefined ? sql`` : sql`and x.ordering_key = ${orderingKey}`}
        ${sequence === undefined ? sql`` : sql`and x.sequence = ${sequence}`}
        ${payload === undefined ? sql`` : sql`and ${payloadMatches(sql, payload, payloadOf(sql, "x"))}`}
        ${except === undefined ? sql`` : sql`and ${isNotTo(sql, except, "x")}`}
      limit 1
    ) as same_delivery
  `;
}

function statusCheck(sql: Sql, accountId: AccountRef, status: DeliveryStatus): Fragment {
  const place =
    status === "pending"
      ? sql`select from queue q where q.account_id = ${accountId} and q.delivery_id = c.id limit 1`
      : sql`
          select from results r
          where r.account_id = ${accountId} and r.status = ${status}::delivery_status and r.delivery_id = c.id limit 1
        `;
  return sql`cross join lateral (${place}) as same_status`;
}
