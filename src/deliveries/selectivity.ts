import type { Sql } from "../db/pool";
import type { AccountId, EndpointId } from "../runtime/ids";
import { type Driver, filterCount } from "./candidates";
import { countOf, readCountsBoth } from "./counts";
import type { DeliverySearch } from "./delivery";
import type { EndpointQueue } from "./endpoint-ids";
import { wantsFailure } from "./search";

/** A queue that may be read and sorted whole. A longer one is a good part of what its account has pending. */
const SHORT_QUEUE = 5_000;

/**
 * The driver that has the fewest deliveries to look at, as the counters know; null when they, or the
 * endpoint's owner, say that nothing can be found.
 */
export async function chooseDriver(
  sql: Sql,
  accountId: AccountId,
  filters: DeliverySearch,
): Promise<Driver | null> {
  const { endpointId, event, status } = filters;
  const inTrouble = wantsFailure(filters);
  if (endpointId === undefined && filterCount(filters) + Number(inTrouble) < 2) {
    if (event !== undefined) return { by: "event", event };
    if (status !== undefined) return { by: "status", status };
    return { by: inTrouble ? "trouble" : "account" };
  }
  const endpoint = endpointId === undefined ? undefined : await readEndpoint(sql, accountId, endpointId);
  if (endpoint === null) return null;
  if (endpoint && status === "pending") return { by: "queue", queue: queueOf(endpoint) };
  const sizes = endpoint === undefined ? [] : [{ driver: byEndpoint(endpoint), size: endpoint.sent }];
  if (event === undefined && status === undefined && !inTrouble) return rarest(sizes);
  const others = await readSizes(sql, accountId, filters);
  return others === null ? null : rarest([...sizes, ...others]);
}

type Sizes = { driver: Driver; size: number }[];

/** The least one; of equals the first. */
function rarest(sizes: Sizes): Driver | null {
  const [first, ...rest] = sizes;
  if (!first) return null;
  return rest.reduce((least, each) => (each.size < least.size ? each : least), first).driver;
}

async function readSizes(sql: Sql, accountId: AccountId, filters: DeliverySearch): Promise<Sizes | null> {
  const { event, status } = filters;
  const { all, ofEvent } = await readCountsBoth(sql, accountId, event);
  if (countOf(ofEvent, status) === 0) return null;
  const sizes: Sizes = [];
  if (event !== undefined) sizes.push({ driver: { by: "event", event }, size: ofEvent.total });
  if (status !== undefined) sizes.push({ driver: { by: "status", status }, size: countOf(all, status) });
  // About: what was delivered at a later attempt is not counted apart.
  if (wantsFailure(filters)) {
    sizes.push({ driver: { by: "trouble" }, size: all.failed + all.cancelled + all.pending });
  }
  return sizes;
}

type EndpointSize = {
  id: EndpointId;
  /** How many deliveries it was sent, about. */
  sent: number;
  /** Null when it is deleted. */
  partition: number | null;
  /** At most so many are pending. */
  backlog: number;
};

function byEndpoint(endpoint: EndpointSize): Driver {
  return { by: "endpoint", queue: queueOf(endpoint) };
}

function queueOf({ id, partition, backlog }: EndpointSize): EndpointQueue {
  return { endpointId: id, shortIn: backlog > SHORT_QUEUE ? null : partition };
}

/** Null when the account has never had this endpoint. */
async function readEndpoint(
  sql: Sql,
  accountId: AccountId,
  endpointId: EndpointId,
): Promise<EndpointSize | null> {
  const [row] = await sql<{ partition: number | null; last: number | null; head: number | null }[]>`
    select m.partition, m.last_sequence as last,
      (
        select q.sequence from queue q
        where q.partition = m.partition and q.endpoint_id = m.endpoint_id
        order by q.sequence limit 1
      ) as head
    from endpoints e left join mailboxes m on m.endpoint_id = e.id
    where e.id = ${endpointId} and e.account_id = ${accountId}
  `;
  if (!row) return null;
  const { partition, last, head } = row;
  // A deleted endpoint's numbering is gone; its history may be long.
  const sent = last ?? Number.MAX_SAFE_INTEGER;
  return { id: endpointId, sent, partition, backlog: head === null ? 0 : sent - head + 1 };
}
