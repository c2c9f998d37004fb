import type { Sql } from "../db/pool";
import type { AccountId } from "../runtime/ids";
import type { Driver } from "./candidates";
import { type Counts, countColumns, countOf } from "./counts";
import type { DeliveryFilters } from "./delivery";

/** How many of the filters are given. */
export function filterCount({ event, endpointId, status }: DeliveryFilters): number {
  return [event, endpointId, status].filter((each) => each !== undefined).length;
}

/**
 * The driver that has the fewest deliveries to look at, as the counters know; null when they, or the
 * endpoint's owner, say that nothing can be found.
 */
export async function chooseDriver(
  sql: Sql,
  accountId: AccountId,
  filters: DeliveryFilters,
): Promise<Driver | null> {
  const { endpointId, event, status } = filters;
  if (endpointId === undefined && filterCount(filters) < 2) {
    return event !== undefined ? "event" : status !== undefined ? "status" : "account";
  }
  const sizes = await readSizes(sql, accountId, filters);
  return sizes === null ? null : rarest(sizes);
}

type Sizes = { driver: Driver; size: number }[];

/** The least one; of equals the first. */
function rarest(sizes: Sizes): Driver {
  return sizes.reduce((least, each) => (each.size < least.size ? each : least)).driver;
}

async function readSizes(sql: Sql, accountId: AccountId, filters: DeliveryFilters): Promise<Sizes | null> {
  const { event, endpointId, status } = filters;
  const sizes: Sizes = [];
  if (endpointId !== undefined) {
    const size = await endpointSize(sql, accountId, endpointId);
    if (size === null) return null;
    sizes.push({ driver: "endpoint", size });
  }
  if (event === undefined && status === undefined) return sizes;
  const { all, ofEvent } = await readBoth(sql, accountId, event);
  if (countOf(ofEvent, status) === 0) return null;
  if (event !== undefined) sizes.push({ driver: "event", size: ofEvent.total });
  if (status !== undefined) sizes.push({ driver: "status", size: countOf(all, status) });
  return sizes;
}

/** How many deliveries an endpoint was sent, about; null when the account has never had it. */
async function endpointSize(sql: Sql, accountId: AccountId, endpointId: string): Promise<number | null> {
  const [row] = await sql<{ lastSequence: number | null }[]>`
    select m.last_sequence as "lastSequence"
    from endpoints e left join mailboxes m on m.endpoint_id = e.id
    where e.id = ${endpointId} and e.account_id = ${accountId}
  `;
  // A deleted endpoint's numbering is gone; its history may be long.
  return row ? (row.lastSequence ?? Number.MAX_SAFE_INTEGER) : null;
}

/** The counts of the whole account, and those of an event type; without one they are the same. */
async function readBoth(
  sql: Sql,
  accountId: AccountId,
  event: string | undefined,
): Promise<{ all: Counts; ofEvent: Counts }> {
  const rows = await sql<(Counts & { isEvent: boolean })[]>`
    select ${event === undefined ? sql`true` : sql`c.event = ${event}`} as "isEvent", ${countColumns(sql)}
    from counters c where c.account_id = ${accountId}
    group by 1
  `;
  const ofEvent = rows.find((row) => row.isEvent) ?? NONE;
  const others = rows.find((row) => !row.isEvent) ?? NONE;
  return { all: sumOf(ofEvent, others), ofEvent };
}

const NONE: Counts = { total: 0, delivered: 0, failed: 0, cancelled: 0, pending: 0 };

function sumOf(a: Counts, b: Counts): Counts {
  return {
    total: a.total + b.total,
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    pending: a.pending + b.pending,
  };
}
