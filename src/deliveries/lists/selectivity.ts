import type { Sql } from "../../db/pool";
import type { AccountId } from "../../runtime/ids";
import { countOf, readCountsBoth } from "../counts";
import type { DeliverySearch, DeliveryStatus } from "../delivery";
import { type Driver, filterCount } from "./candidates";
import { type EndpointSize, queueOf, readEndpointSize } from "./endpoint-size";
import { wantsFailure } from "./search";

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
  const endpoint = endpointId === undefined ? undefined : await readEndpointSize(sql, accountId, endpointId);
  if (endpoint === null) return null;
  if (endpoint && status === "pending") return { by: "queue", queue: queueOf(endpoint) };
  const sizes = endpoint === undefined ? [] : [byEndpoint(endpoint, status)];
  if (event === undefined && status === undefined && !inTrouble) return rarest(sizes);
  const others = await readSizes(sql, accountId, filters);
  return others === null ? null : rarest([...sizes, ...others]);
}

type Size = { driver: Driver; size: number };
type Sizes = Size[];

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

function byEndpoint(endpoint: EndpointSize, status: DeliveryStatus | undefined): Size {
  const size = status === undefined ? endpoint.sent : endpoint.ended;
  return { driver: { by: "endpoint", queue: queueOf(endpoint) }, size };
}
