import type { Filters } from "../pages/delivery-filters";
import type { DeliveryList } from "../pages/delivery-list";
import { failedOf, Resend } from "../pages/resend";
import { count } from "../shared/format";
import { serverNow } from "../shared/server-clock";
import { useSummary } from "./summary";

/** Most ids that one request takes. */
const MOST_IDS = 1_000;

type ResendSelectedProps = { list: DeliveryList; selected: { value: ReadonlySet<string> } };

/** Resends the chosen deliveries that have ended. */
export function ResendSelected({ list, selected }: ResendSelectedProps) {
  const chosen = list.rows.value.filter(({ id, status }) => selected.value.has(id) && status !== "pending");
  const ids = chosen.slice(0, MOST_IDS).map(({ id }) => id);
  return (
    <Resend name={`Resend ${count(ids.length)}`} isShown={ids.length > 0} selectionOf={() => ({ ids })} />
  );
}

/** Resends the failed deliveries of a filter. */
export function ResendFailed({ filters }: { filters: Filters }) {
  const summary = useSummary(filters);
  const failed = summary?.counts.failed ?? 0;
  const isAsked = filters.status === null || filters.status === "failed";
  return (
    <Resend
      name={`Resend ${count(failed)}${summary?.isExact ? "" : " or more"} failed`}
      isShown={failed > 0 && isAsked}
      selectionOf={() => ({ filter: failedOf(filters, serverNow()) })}
    />
  );
}
