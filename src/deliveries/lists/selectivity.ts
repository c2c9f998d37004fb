import type { Sql } from "../../db/pool";
import type { DeliveryStatus } from "../../domain/delivery-status";
import type { AccountId } from "../../domain/ids";
import { countOf, readCountsBoth } from "../counts";
import type { DeliverySearch } from "../delivery";
import { filterCount, type ListIndex } from "./candidates";
import { type EndpointSize, queueOf, readEndpointSize } from "./endpoint-size";
import { wantsFailure } from "./search";

/**
 * Chooses the driver with the fewest deliveries to look at, by the counters. Null if the counters or the endpoint's
 * account show that nothing can match.
 */
export async function chooseDriver(
  sql: Sql,
  accountId: AccountId,
  filters: DeliverySearch,
): Promise<ListIndex | null> {
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

type Size = { driver: ListIndex; size: number };
type Sizes = Size[];

/** Returns the smallest; of equal ones the first. */
function rarest(sizes: Sizes): ListIndex | null {
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
  // An estimate: the counters don't separate deliveries that succeeded at a later attempt.
  if (wantsFailure(filters)) {
    sizes.push({ driver: { by: "trouble" }, size: all.failed + all.cancelled + all.pending });
  }
  return sizes;
}

function byEndpoint(endpoint: EndpointSize, status: DeliveryStatus | undefined): Size {
  const size = status === undefined ? endpoint.sent : endpoint.ended;
  return { driver: { by: "endpoint", queue: queueOf(endpoint) }, size };
}
