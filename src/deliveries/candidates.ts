import type { Sql } from "../db/pool";
import type { AccountId, EndpointId } from "../runtime/ids";
import type { DeliveryFilters, DeliveryStatus } from "./delivery";

/**
 * Which index a list is read from: one that holds one of its filters in the order of identifiers. What else
 * the list is narrowed by is looked up delivery by delivery.
 */
export type Driver = "account" | "event" | "endpoint" | "status";

/** Identifiers from one (inclusive) to before another. */
export type IdRange = { from?: string | undefined; before?: string | undefined };

/** What a list may hold. `filters` has the driver's one. */
export type Candidates = {
  accountId: AccountId;
  filters: DeliveryFilters;
  range: IdRange;
  driver: Driver;
};

type Fragment = ReturnType<Sql>;

/** Selects the `id` of everything that the driver's index holds, without an order yet. */
export function driverIds(sql: Sql, { accountId, filters, range, driver }: Candidates): Fragment {
  const { event, endpointId, status } = filters;
  if (driver === "status" && status !== undefined) return idsOfStatus(sql, accountId, status, range);
  const bounds = within(sql, range, sql`d.id`);
  if (driver === "endpoint" && endpointId !== undefined) {
    return sql`select d.id from deliveries d where d.endpoint_id = ${endpointId} ${bounds}`;
  }
  if (driver === "event" && event !== undefined) {
    return sql`select d.id from deliveries d where d.account_id = ${accountId} and d.event = ${event} ${bounds}`;
  }
  return sql`select d.id from deliveries d where d.account_id = ${accountId} ${bounds}`;
}

/**
 * Joins that let pass, of the identifiers in `c`, what the filters beside the driver's do. Each is a look-up
 * with a limit, so that no plan can turn it into a reading of the whole table.
 */
export function otherFilters(sql: Sql, { accountId, filters, driver }: Candidates): Fragment {
  const event = driver === "event" ? undefined : filters.event;
  const endpointId = driver === "endpoint" ? undefined : filters.endpointId;
  const status = driver === "status" ? undefined : filters.status;
  const checksDelivery = event !== undefined || endpointId !== undefined;
  return sql`
    ${checksDelivery ? deliveryCheck(sql, event, endpointId) : sql``}
    ${status === undefined ? sql`` : statusCheck(sql, accountId, status)}
  `;
}

function idsOfStatus(sql: Sql, accountId: AccountId, status: DeliveryStatus, range: IdRange): Fragment {
  if (status === "pending") {
    const bounds = within(sql, range, sql`q.delivery_id`);
    return sql`select q.delivery_id as id from queue q where q.account_id = ${accountId} ${bounds}`;
  }
  const bounds = within(sql, range, sql`r.delivery_id`);
  return sql`
    select r.delivery_id as id from results r
    where r.account_id = ${accountId} and r.status = ${status}::delivery_status ${bounds}
  `;
}

function within(sql: Sql, { from, before }: IdRange, column: Fragment): Fragment {
  return sql`
    ${from === undefined ? sql`` : sql`and ${column} >= ${from}`}
    ${before === undefined ? sql`` : sql`and ${column} < ${before}`}
  `;
}

function deliveryCheck(sql: Sql, event: string | undefined, endpointId: EndpointId | undefined): Fragment {
  return sql`
    cross join lateral (
      select from deliveries x
      where x.id = c.id
        ${event === undefined ? sql`` : sql`and x.event = ${event}`}
        ${endpointId === undefined ? sql`` : sql`and x.endpoint_id = ${endpointId}`}
      limit 1
    ) as same_delivery
  `;
}

function statusCheck(sql: Sql, accountId: AccountId, status: DeliveryStatus): Fragment {
  const place =
    status === "pending"
      ? sql`select from queue q where q.account_id = ${accountId} and q.delivery_id = c.id limit 1`
      : sql`select from results r where r.delivery_id = c.id and r.status = ${status}::delivery_status limit 1`;
  return sql`cross join lateral (${place}) as same_status`;
}
