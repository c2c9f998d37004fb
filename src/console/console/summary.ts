import type { Delivery } from "../../client/types";
import { ask, isAbsent } from "../shared/api";
import { useResource } from "../shared/resource";
import { serverNow } from "../shared/server-clock";
import type { Counts } from "../shared/words";
import { keyed } from "./data";
import { type Filters, queryOf } from "./delivery-filters";

type Summary = Readonly<{ counts: Counts; isExact: boolean }>;

/**
 * Counts the deliveries of a filter by their outcome. The list in pages counts exactly by event type alone; null for
 * other filters.
 */
export function useSummary(filters: Filters): Summary | null {
  const { status: _status, event, ...rest } = filters;
  const isCounted = Object.values(rest).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
  const { data } = useResource(
    isCounted ? keyed("counts", event) : null,
    async (): Promise<Summary> => {
      const total = async (status: Delivery["status"]) => {
        const query = { status, per_page: 1, ...(event !== null && { event }) };
        const page = (await ask("get", "/v1/webhooks", { query })) as { total: number };
        return page.total;
      };
      const [pending, delivered, failed, cancelled] = [
        await total("pending"),
        await total("delivered"),
        await total("failed"),
        await total("cancelled"),
      ];
      return { counts: { pending, delivered, failed, cancelled }, isExact: true };
    },
    { every: 10_000 },
  );
  return data;
}

/** The newest delivery of a filter; null if there is none. */
export async function newestOf(filters: Filters): Promise<Delivery | null> {
  const query = { ...queryOf(filters, serverNow()), limit: 1 };
  try {
    const page = (await ask("get", "/v1/webhooks", { query })) as { data: Delivery[] };
    return page.data[0] ?? null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
