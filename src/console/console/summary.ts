import type { operations } from "../../client/openapi";
import type { AnswerOf } from "../../client/operation";
import type { Delivery } from "../../client/types";
import { type Filters, queryOf } from "../pages/delivery-filters";
import { keyed } from "../shared/access";
import { ask, call, isAbsent } from "../shared/api";
import { useResource } from "../shared/resource";
import { serverNow } from "../shared/server-clock";
import type { Counts } from "./words";

/** Counts by outcome. `isExact` is false if there are more deliveries than could be counted in a second. */
export type Summary = Readonly<{ counts: Counts; isExact: boolean }>;

type FilterCounts = AnswerOf<operations["summarizeWebhooks"]>;
export type CountBar = FilterCounts["bars"][number];

/** Counts the deliveries of a filter by outcome. Ignores the outcome in the filter. */
export function useSummary(filters: Filters): Summary | null {
  const hasTotals = hasTotalsOf(filters);
  const totals = useResource(
    hasTotals ? keyed("totals", filters.event ?? "") : null,
    () => totalsOf(filters.event),
    { every: 10_000 },
  ).data;
  const counted = useCounted(hasTotals ? null : filters, 20_000);
  if (hasTotals) return totals;
  return counted && { counts: counted.statuses, isExact: counted.complete };
}

/** The counts of a filter by the time of acceptance. `isLastDay` if they are of the last 24 hours only. */
export type Bars = Readonly<{
  bars: readonly CountBar[];
  barMs: number;
  isExact: boolean;
  isLastDay: boolean;
}>;

/** Counts the deliveries of a filter by time. Ignores the outcome in the filter. Without a filter it counts those of the last day. */
export function useBars(filters: Filters): Bars | null {
  const isLastDay = hasTotalsOf(filters);
  // A filtered list has its counts from `useSummary`, which keeps them current.
  const counted = useCounted(
    isLastDay ? { ...filters, time: "24h" } : filters,
    isLastDay ? 60_000 : undefined,
  );
  if (counted === null) return null;
  const { bars, bar_seconds, complete } = counted;
  return { bars, barMs: bar_seconds * 1_000, isExact: complete, isLastDay };
}

/** True if the list in pages has exact totals, as of all deliveries and of an event type, however long the history is. */
function hasTotalsOf({ status: _status, event: _event, ...rest }: Filters): boolean {
  return Object.values(rest).every((value) => value === null || (Array.isArray(value) && value.length === 0));
}

function useCounted(filters: Filters | null, every: number | undefined): FilterCounts | null {
  const asked = filters && { ...filters, status: null };
  return useResource(
    asked && keyed("counts", JSON.stringify(asked)),
    () => call("get", "/v1/webhooks/summary", { query: asked ? queryOf(asked, serverNow()) : {} }),
    { every },
  ).data;
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
