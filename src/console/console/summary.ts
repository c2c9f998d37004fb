import type { Delivery } from "../../client/types";
import { type Filters, queryOf } from "../pages/delivery-filters";
import { keyed } from "../shared/access";
import { ask, call, isAbsent } from "../shared/api";
import { useResource } from "../shared/resource";
import { serverNow } from "../shared/server-clock";
import type { Counts } from "./words";

/** Counts by outcome. `isExact` is false if there are more deliveries than could be counted in a second. */
export type Summary = Readonly<{ counts: Counts; isExact: boolean }>;

/** Counts the deliveries of a filter by outcome. Ignores the outcome in the filter. */
export function useSummary(filters: Filters): Summary | null {
  const { status: _status, event, ...rest } = filters;
  // The list in pages has exact totals of all deliveries and of an event type, however long the history is.
  const hasTotals = Object.values(rest).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
  const { data } = useResource(
    keyed("counts", JSON.stringify({ event, ...rest })),
    () => (hasTotals ? totalsOf(event) : summaryOf({ ...filters, status: null })),
    { every: hasTotals ? 10_000 : 20_000 },
  );
  return data;
}

async function totalsOf(event: string | null): Promise<Summary> {
  const total = async (status: Delivery["status"]) => {
    const query = { status, per_page: 1, ...(event !== null && { event }) };
    return ((await ask("get", "/v1/webhooks", { query })) as { total: number }).total;
  };
  const counts = {
    pending: await total("pending"),
    delivered: await total("delivered"),
    failed: await total("failed"),
    cancelled: await total("cancelled"),
  };
  return { counts, isExact: true };
}

async function summaryOf(filters: Filters): Promise<Summary> {
  const query = queryOf(filters, serverNow());
  const { statuses, complete } = await call("get", "/v1/webhooks/summary", { query });
  return { counts: statuses, isExact: complete };
}

/** Most requests for the newest delivery: a search through payloads may answer without one, and go on. */
const MOST_REQUESTS = 8;

/** The newest delivery of a filter; null if there is none, undefined if the search has not found its end. */
export async function newestOf(filters: Filters): Promise<Delivery | null | undefined> {
  const query = { ...queryOf(filters, serverNow()), limit: 1 };
  let cursor: string | undefined;
  try {
    for (let i = 0; i < MOST_REQUESTS; i++) {
      const page = await call("get", "/v1/webhooks", { query: { ...query, cursor } });
      const [newest] = page.data ?? [];
      if (newest) return newest;
      if (page.cursor == null) return null;
      cursor = page.cursor;
    }
    return undefined;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
