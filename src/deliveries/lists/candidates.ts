import type { Fragment, Sql } from "../../db/pool";
import { isOfEvent } from "../../db/sql/delivery-key";
import { payloadOf } from "../../db/sql/event-key";
import type { AccountRef } from "../../db/sql/queue-key";
import type { DeliveryStatus } from "../../domain/delivery-status";
import type { DeliveryFilters, DeliverySearch } from "../delivery";
import { type EndpointQueue, endedIds, idsOfEndpoint, pendingIds } from "./endpoint-ids";
import { type IdRange, within } from "./id-range";
import { literal } from "./row-limit";
import { attemptJoins, isBetween, payloadMatches, searches } from "./search";

/**
 * Which index a list is read from. It holds one filter's deliveries in the order of ids, or for `queue` the backlog of
 * one endpoint. The other filters are checked delivery by delivery.
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
  driver: ListIndex;
  range: IdRange;
  /** Filters that the driver leaves to be checked. */
  others: DeliverySearch;
};

/** The filters that the driver does not cover. */
export function residualFilters(driver: ListIndex, filters: DeliverySearch): DeliverySearch {
  const { by } = driver;
  const { event, endpointId, status, responseStatus, error, payload } = filters;
  return {
    responseStatus,
    error,
    payload,
    event: by === "event" ? undefined : event,
    endpointId: by === "endpoint" || by === "queue" ? undefined : endpointId,
    status: by === "status" || by === "queue" ? undefined : status,
  };
}

/**
 * True if a look-up is needed for most of the driver's deliveries. Not for those in trouble if a column of their index
 * excludes most of them before.
 */
export function needsLookUps(driver: ListIndex, filters: DeliverySearch): boolean {
  const { event, error, payload, endpointId, responseStatus, status } = residualFilters(driver, filters);
  const isAny = (...given: unknown[]) => given.some((each) => each !== undefined);
  const isLookedUp = isAny(event, error, payload);
  return driver.by === "trouble"
    ? isLookedUp && !isAny(endpointId, responseStatus)
    : isLookedUp || isAny(endpointId, responseStatus, status);
}

/** Counts the given filters that have a counter or an index. */
export function filterCount({ event, endpointId, status }: DeliveryFilters): number {
  return [event, endpointId, status].filter((each) => each !== undefined).length;
}

/** True if the driver's rows must be checked one by one. */
export function isNarrowed({ others }: Pick<ListScan, "others">): boolean {
  return filterCount(others) > 0 || searches(others);
}

/**
 * Selects the `id` of everything in the driver's index, unsorted. Adds the columns that `otherFilters` checks, if the
 * index leads to the delivery's or result's row anyway. `newest`: how many rows with the greatest ids are enough.
 */
export function driverRows(sql: Sql, candidates: ListScan, newest = Number.MAX_SAFE_INTEGER): Fragment {
  const { accountId, driver, range } = candidates;
  const columns = readsDelivery(candidates) ? sql`d.id, d.event, d.endpoint_id` : sql`d.id`;
  switch (driver.by) {
    case "account":
      return sql`
        select ${columns} from deliveries d where d.account_id = ${accountId} ${within(sql, range, "d.id")}
      `;
    case "event":
      return sql`
        select ${columns} from deliveries d
        where d.account_id = ${accountId} and ${isOfEvent(sql, "d", driver.event)}
          ${withinOfEvent(sql, range, driver.event)}
      `;
    case "endpoint":
      // A status among the other filters is never `pending` here (see `chooseDriver`).
      return candidates.others.status === undefined
        ? idsOfEndpoint(sql, accountId, driver.queue, range, { order: "newest", rows: newest })
        : endedIds(sql, driver.queue, range);
    case "status":
      return idsOfStatus(sql, driver.status, candidates);
    case "queue":
      return pendingIds(sql, accountId, driver.queue, range);
    case "trouble":
      return troubledRows(sql, candidates, newest);
  }
}

/**
 * Joins and a condition that keep the driver's rows `c` that match the other filters. Each join is a look-up with a
 * limit, so no plan can scan the whole table.
 */
export function otherFilters(sql: Sql, candidates: ListScan): Fragment {
  const { accountId, driver, others } = candidates;
  if (driver.by === "trouble") return troubleFilters(sql, accountId, others);
  const { event, endpointId, status } = others;
  const condition = sql`
    ${event === undefined ? sql`true` : sql`c.event = ${event}`}
    and ${endpointId === undefined ? sql`true` : sql`c.endpoint_id = ${endpointId}`}
  `;
  return sql`
    ${looksAtDelivery(candidates) && !readsDelivery(candidates) ? deliveryCheck(sql, accountId, others) : sql``}
    ${status === undefined ? sql`` : statusCheck(sql, accountId, status)}
    ${attemptJoins(sql, others, { accountId, id: sql`c.id`, endpointId: endpointOf(sql, candidates) })}
    where ${readsDelivery(candidates) ? condition : sql`true`}
  `;
}

/** The same for rows of `troubledRows`, which have most of the columns. */
function troubleFilters(sql: Sql, accountId: AccountRef, others: DeliverySearch): Fragment {
  const { endpointId, status, responseStatus, error, ...ofDelivery } = others;
  const isLookedUp = ofDelivery.event !== undefined || ofDelivery.payload !== undefined;
  return sql`
    ${isLookedUp ? deliveryCheck(sql, accountId, ofDelivery) : sql``}
    ${attemptJoins(sql, { error }, { accountId, id: sql`c.id`, endpointId: sql`c.endpoint_id` })}
    where c.was_tried
      and ${status === undefined ? sql`true` : sql`c.status = ${status}::delivery_status`}
      and ${endpointId === undefined ? sql`true` : sql`c.endpoint_id = ${endpointId}`}
      and ${responseStatus === undefined ? sql`true` : isBetween(sql, "c.response_status", responseStatus)}
  `;
}

function isOfDeliveries({ by }: ListIndex): boolean {
  return by === "account" || by === "event";
}

/** True if the other filters need a column of the delivery, or its endpoint. */
function looksAtDelivery({ driver, others }: ListScan): boolean {
  const { event, endpointId, payload, responseStatus } = others;
  const isFiltered = event !== undefined || endpointId !== undefined || payload !== undefined;
  return isFiltered || (responseStatus !== undefined && isOfDeliveries(driver));
}

/** The endpoint of the candidate `c`, for looking up its result. */
function endpointOf(sql: Sql, candidates: ListScan): Fragment {
  const { driver } = candidates;
  if (driver.by === "endpoint" || driver.by === "queue") return sql`${driver.queue.endpointId}::uuid`;
  const isElsewhere = isOfDeliveries(driver) && !readsDelivery(candidates);
  return isElsewhere ? sql`same_delivery.endpoint_id` : sql`c.endpoint_id`;
}

/** Adds the column that `endpointOf` reads to rows of results or of the queue. */
function endpointColumn(sql: Sql, { others }: ListScan, table: "r" | "q"): Fragment {
  return others.responseStatus === undefined ? sql`` : sql`, ${sql.unsafe(`${table}.endpoint_id`)}`;
}

/**
 * Continues a condition: deliveries `d` of one event type lie in the range. Compared by ids alone, the order of the key
 * looks as good to Postgres as the event's index (see `isOfEvent`). Only the event's index begins with the event. But
 * only ids alone tell Postgres which time ranges to leave out.
 */
function withinOfEvent(sql: Sql, range: IdRange, event: string): Fragment {
  const { from, before } = range;
  return sql`
    ${from === undefined ? sql`` : sql`and (d.event, d.id) >= (${event}::text, ${from}::uuid)`}
    ${before === undefined ? sql`` : sql`and (d.event, d.id) < (${event}::text, ${before}::uuid)`}
    ${within(sql, range, "d.id")}
  `;
}

/**
 * True if the driver's rows have the delivery columns that the other filters check. Payloads are looked up apart. When
 * whole rows are read, Postgres may prefer another index in the order of ids, and then read unrelated rows (tried: 16 s
 * for an account with no match).
 */
function readsDelivery(candidates: ListScan): boolean {
  const { driver, others } = candidates;
  return isOfDeliveries(driver) && looksAtDelivery(candidates) && others.payload === undefined;
}

/**
 * Selects the ended deliveries of the index `results_troubled`, by its condition word for word, and reads no other column.
 * Adds the pending ones. Each part has its limit. Without it, Postgres sorts everything of both parts together (tried with
 * 600,000 pending: 0.5 s a piece).
 */
function troubledRows(sql: Sql, { accountId, range, others }: ListScan, newest: number): Fragment {
  const end = sql`order by 1 desc limit ${literal(sql, newest)}`;
  const ended: Fragment = sql`(
    select r.delivery_id as id, r.status, r.endpoint_id, r.response_status, true as was_tried from results r
    where r.account_id = ${accountId} and r.duration_ms is null ${within(sql, range, "r.delivery_id")} ${end}
  )`;
  const pending: Fragment = sql`(
    select q.delivery_id as id, 'pending'::delivery_status as status, q.endpoint_id, q.response_status,
      q.attempt_count > 0 as was_tried
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
  { event, endpointId, payload }: DeliverySearch,
): Fragment {
  return sql`
    cross join lateral (
      select x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = c.id
        ${event === undefined ? sql`` : sql`and x.event = ${event}`}
        ${endpointId === undefined ? sql`` : sql`and x.endpoint_id = ${endpointId}`}
        ${payload === undefined ? sql`` : sql`and ${payloadMatches(sql, payload, payloadOf(sql, "x"))}`}
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
