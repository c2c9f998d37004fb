import type { Sql } from "../../db/pool";
import type { DeliveryStatus } from "../../domain/delivery-status";
import type { AccountId } from "../../domain/ids";
import { countOf, type DeliveryCounts, readCountsBoth } from "../counts";
import { filterCount, type ListIndex, needsLookUps } from "./candidates";
import { type EndpointSize, queueOf, readEndpointSize } from "./endpoint-size";
import type { DeliverySearch } from "./search";
import { wantsFailure } from "./search";

/** Looking a delivery up costs this many times as much as comparing it in the index (measured). */
const LOOK_UP = 10;

/**
 * Chooses the cheapest index, by the counters. Resolves to null if the counters or the endpoint's account show that nothing can
 * match.
 */
export async function chooseIndex(
  sql: Sql,
  accountId: AccountId,
  filters: DeliverySearch,
): Promise<ListIndex | null> {
  const { endpointId, event, status } = filters;
  const isOfFailures = wantsFailure(filters);
  if (endpointId === undefined && filterCount(filters) + Number(isOfFailures) < 2) {
    if (event !== undefined) return { by: "event", event };
    if (status !== undefined) return { by: "status", status };
    return { by: isOfFailures ? "trouble" : "account" };
  }
  const endpoint = endpointId === undefined ? undefined : await readEndpointSize(sql, accountId, endpointId);
  if (endpoint === null) return null;
  if (endpoint && status === "pending" && !isOfFailures) return { by: "queue", queue: queueOf(endpoint) };
  const sizes = endpoint === undefined ? [] : [byEndpoint(endpoint, status)];
  if (event === undefined && status === undefined && !isOfFailures) return cheapest(sizes, filters);
  const others = await readSizes(sql, accountId, filters);
  return others === null ? null : cheapest([...sizes, ...others], filters);
}

type Size = { index: ListIndex; size: number };

/** Returns the cheapest index; of equal ones the first. */
function cheapest(sizes: Size[], filters: DeliverySearch): ListIndex | null {
  const cost = ({ index, size }: Size) => size * (needsLookUps(index, filters) ? LOOK_UP : 1);
  const [first, ...rest] = sizes;
  if (!first) return null;
  return rest.reduce((least, each) => (cost(each) < cost(least) ? each : least), first).index;
}

async function readSizes(sql: Sql, accountId: AccountId, filters: DeliverySearch): Promise<Size[] | null> {
  const { event, status } = filters;
  const { all, ofEvent } = await readCountsBoth(sql, accountId, event);
  if (countOf(ofEvent, status) === 0) return null;
  const sizes: Size[] = [];
  if (event !== undefined) sizes.push({ index: { by: "event", event }, size: ofEvent.total });
  if (status !== undefined) sizes.push({ index: { by: "status", status }, size: countOf(all, status) });
  if (wantsFailure(filters) || status === "failed" || status === "cancelled") {
    sizes.push({ index: { by: "trouble" }, size: troubleSize(all, status) });
  }
  return sizes;
}

/** An estimate: the counters don't separate deliveries that succeeded later, or that are pending after an attempt. */
function troubleSize(
  { failed, cancelled, pending }: DeliveryCounts,
  status: DeliveryStatus | undefined,
): number {
  if (status === "pending") return pending;
  return failed + cancelled + (status === undefined ? pending : 0);
}

function byEndpoint(endpoint: EndpointSize, status: DeliveryStatus | undefined): Size {
  const queue = queueOf(endpoint);
  // Ended deliveries can't match `pending`.
  if (status === "pending") return { index: { by: "queue", queue }, size: endpoint.backlog };
  return { index: { by: "endpoint", queue }, size: status === undefined ? endpoint.sent : endpoint.ended };
}
