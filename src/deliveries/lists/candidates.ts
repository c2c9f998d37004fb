import { isOfEvent } from "../../db/delivery-key";
import type { Fragment, Sql } from "../../db/pool";
import type { AccountId } from "../../runtime/ids";
import type { DeliveryFilters, DeliverySearch, DeliveryStatus } from "../delivery";
import { type EndpointQueue, endedIds, idsOfEndpoint, pendingIds } from "./endpoint-ids";
import { type IdRange, within } from "./id-range";
import { literal } from "./row-limit";
import { attemptJoins, hadFailure, payloadMatches, searches } from "./search";

/**
 * Which index a list is read from: one that holds a filter in the order of identifiers, or for `queue` the
 * backlog of one endpoint. What else the list is narrowed by is looked up delivery by delivery.
 */
export type Driver =
  | { by: "account" }
  | { by: "event"; event: string }
  | { by: "endpoint"; queue: EndpointQueue }
  | { by: "status"; status: DeliveryStatus }
  | { by: "queue"; queue: EndpointQueue }
  /** Those that had a failed attempt, and everything pending. */
  | { by: "trouble" };

/** What a list may hold. */
export type Candidates = {
  accountId: AccountId;
  driver: Driver;
  range: IdRange;
  /** What the driver leaves to be looked up. */
  others: DeliverySearch;
};

/** The filters that a driver does not stand for. */
export function othersThan(driver: Driver, filters: DeliverySearch): DeliverySearch {
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

/** How many of the filters that are counted or indexed are given. */
export function filterCount({ event, endpointId, status }: DeliveryFilters): number {
  return [event, endpointId, status].filter((each) => each !== undefined).length;
}

/** Whether the driver's rows have to be looked through. */
export function isNarrowed({ others }: Candidates): boolean {
  return filterCount(others) > 0 || searches(others);
}

/**
 * Selects the `id` of everything that the driver's index holds, without an order yet; and with it the columns
 * that `otherFilters` looks at, where the index leads to the row of its delivery or its result anyway. `newest`: no more of
 * them, and those with the greatest identifiers, are wanted.
 */
export function driverRows(sql: Sql, candidates: Candidates, newest = Number.MAX_SAFE_INTEGER): Fragment {
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
      // A status that narrows these is not that of what is pending (see `chooseDriver`).
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
 * Joins and a condition that let pass, of the driver's rows as `c`, what the other filters do. Each join is a
 * look-up with a limit, so that no plan can turn it into a reading of the whole table.
 */
export function otherFilters(sql: Sql, candidates: Candidates): Fragment {
  const { accountId, others } = candidates;
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
      and ${candidates.driver.by === "trouble" ? sql`c.was_tried` : sql`true`}
  `;
}

function isOfDeliveries({ by }: Driver): boolean {
  return by === "account" || by === "event";
}

/** Whether the other filters look at a candidate's delivery: what they ask for is there, or its endpoint is. */
function looksAtDelivery({ driver, others }: Candidates): boolean {
  const { event, endpointId, payload, responseStatus } = others;
  const isFiltered = event !== undefined || endpointId !== undefined || payload !== undefined;
  return isFiltered || (responseStatus !== undefined && isOfDeliveries(driver));
}

/** The endpoint of the candidate `c`, for its result to be found. */
function endpointOf(sql: Sql, candidates: Candidates): Fragment {
  const { driver } = candidates;
  if (driver.by === "endpoint" || driver.by === "queue") return sql`${driver.queue.endpointId}::uuid`;
  const isElsewhere = isOfDeliveries(driver) && !readsDelivery(candidates);
  return isElsewhere ? sql`same_delivery.endpoint_id` : sql`c.endpoint_id`;
}

/** More columns of a driver's rows that are results or queued: what `endpointOf` is to find in them. */
function endpointColumn(sql: Sql, { others }: Candidates, table: "r" | "q"): Fragment {
  return others.responseStatus === undefined ? sql`` : sql`, ${sql.unsafe(`${table}.endpoint_id`)}`;
}

/**
 * More of a condition: that deliveries `d` of one event type lie in the range. Compared by identifiers alone, the key's order is
 * as good to Postgres as that of the event's index (see `isOfEvent`), which is the only one that begins with the event.
 */
function withinOfEvent(sql: Sql, { from, before }: IdRange, event: string): Fragment {
  return sql`
    ${from === undefined ? sql`` : sql`and (d.event, d.id) >= (${event}::text, ${from}::uuid)`}
    ${before === undefined ? sql`` : sql`and (d.event, d.id) < (${event}::text, ${before}::uuid)`}
  `;
}

/**
 * Whether the driver's rows have what the other filters look at in a delivery. Payloads are looked up: reading whole rows,
 * Postgres may take another index in the order of ids for as good as the driver's, and then reads what is not asked for
 * (tried: 16 s for an account that had nothing).
 */
function readsDelivery(candidates: Candidates): boolean {
  const { driver, others } = candidates;
  return isOfDeliveries(driver) && looksAtDelivery(candidates) && others.payload === undefined;
}

// Each part has its limit: without, Postgres sorts all of both together (tried, with 600,000 pending: 0.5 s a piece).
function troubledRows(sql: Sql, candidates: Candidates, newest: number): Fragment {
  const { accountId, range } = candidates;
  const end = sql`order by 1 desc limit ${literal(sql, newest)}`;
  return sql`
    select * from ((
      select r.delivery_id as id, true as was_tried ${endpointColumn(sql, candidates, "r")} from results r
      where r.account_id = ${accountId} and ${hadFailure(sql)} ${within(sql, range, "r.delivery_id")} ${end}
    ) union all (
      select q.delivery_id, q.attempt_count > 0 ${endpointColumn(sql, candidates, "q")} from queue q
      where q.account_id = ${accountId} ${within(sql, range, "q.delivery_id")} ${end}
    )) as troubled
  `;
}

function idsOfStatus(sql: Sql, status: DeliveryStatus, candidates: Candidates): Fragment {
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
  accountId: AccountId,
  { event, endpointId, payload }: DeliverySearch,
): Fragment {
  return sql`
    cross join lateral (
      select x.endpoint_id from deliveries x
      where x.account_id = ${accountId} and x.id = c.id
        ${event === undefined ? sql`` : sql`and x.event = ${event}`}
        ${endpointId === undefined ? sql`` : sql`and x.endpoint_id = ${endpointId}`}
        ${payload === undefined ? sql`` : sql`and ${payloadMatches(sql, payload, sql`x.data`)}`}
      limit 1
    ) as same_delivery
  `;
}

function statusCheck(sql: Sql, accountId: AccountId, status: DeliveryStatus): Fragment {
  const place =
    status === "pending"
      ? sql`select from queue q where q.account_id = ${accountId} and q.delivery_id = c.id limit 1`
      : sql`
          select from results r
          where r.account_id = ${accountId} and r.status = ${status}::delivery_status and r.delivery_id = c.id limit 1
        `;
  return sql`cross join lateral (${place}) as same_status`;
}
