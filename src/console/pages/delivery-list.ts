import type { Delivery, WaitingFor } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { useLive } from "../shared/live";
import { type LiveList, PAGE, useLiveList } from "../shared/live-list";
import { serverNow } from "../shared/server-clock";
import { type Filters, queryOf } from "./delivery-filters";

/** A delivery of the list. The last fields are present if the service lists them. */
export type Row = Delivery & {
  sequence?: number | null;
  waiting_for?: WaitingFor;
  completed_at?: string | null;
};

/** Deliveries of a filter. */
export type DeliveryList = LiveList<Row>;

async function read(filters: Filters, cursor: string | undefined) {
  // A cursor continues the request that it came from, so the range must not move with the clock.
  const query = { ...queryOf(filters, serverNow()), limit: PAGE, cursor };
  const { data, cursor: next = null } = await call("get", "/v1/webhooks", { query });
  if (!data) throw new Error("The list was answered by page numbers, though asked for by cursor");
  return { data, cursor: next };
}

/** True if the stream can serve the filters. It takes no time and no search; such lists are only polled. */
function streamed({ time, after, before, answer, error }: Filters): boolean {
  return (
    [after, before, answer, error].every((each) => each === null) &&
    time !== "yesterday" &&
    time !== "morning"
  );
}

export function useDeliveryList(filters: Filters): DeliveryList {
  const list = useLiveList<Row>(keyed(JSON.stringify(filters)), (cursor) => read(filters, cursor));
  const { after: _after, before: _before, ...query } = queryOf(filters, serverNow());
  useLive(streamed(filters) ? "/v1/webhooks/tail" : null, query, keyed(), (rows) => {
    if (list.isLoaded.value) list.merge(rows as readonly Row[]);
  });
  return list;
}
