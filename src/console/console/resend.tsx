import { useEffect, useState } from "preact/hooks";
import type { ResendCount, ResendSelection } from "../../client/types";
import { type Filters, rangeOf } from "../pages/delivery-filters";
import type { DeliveryList } from "../pages/delivery-list";
import { ask, call } from "../shared/api";
import { count, plural } from "../shared/format";
import { ConfirmDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { go, linkTo } from "../shared/location";
import { problemText } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { can } from "./session";
import { useSummary } from "./summary";

/** Most ids that one request takes. */
const MOST_IDS = 1_000;

/** Resends the chosen deliveries that have ended. */
export function ResendSelected({
  list,
  selected,
}: {
  list: DeliveryList;
  selected: { value: ReadonlySet<string> };
}) {
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

/** Returns the filter of a resend, with absolute times, so that the job has the deliveries that were counted. */
export function failedOf(filters: Filters, now: number): NonNullable<ResendSelection["filter"]> {
  const { after, before } = rangeOf(filters, now);
  return {
    status: "failed",
    ...(filters.event !== null && { event_type: filters.event }),
    ...(filters.endpoint !== null && { endpoint_id: filters.endpoint }),
    ...(filters.answer !== null && { response_status: filters.answer }),
    ...(filters.error !== null && { error: filters.error as "timeout" }),
    ...(filters.fields.length > 0 && { data: Object.fromEntries(filters.fields) }),
    ...(after !== undefined && { after }),
    before: before ?? new Date(now).toISOString(),
  };
}

type ResendProps = { name: string; isShown: boolean; selectionOf(): ResendSelection };

function Resend({ name, isShown, selectionOf }: ResendProps) {
  const [selection, setSelection] = useState<ResendSelection | null>(null);
  if (!can("webhooks:retry")) return null;
  return (
    <>
      {isShown && (
        <button type="button" class="btn sm" onClick={() => setSelection(selectionOf())}>
          <Icon name="retry" small />
          {name}
        </button>
      )}
      {selection && <Confirm selection={selection} onClose={() => setSelection(null)} />}
    </>
  );
}

/** The dialog that shows the exact number of deliveries before it starts the job. */
function Confirm({ selection, onClose }: { selection: ResendSelection; onClose(): void }) {
  const [counted, setCounted] = useState<ResendCount | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    ask("post", "/v1/webhooks/resend", { body: { ...selection, dry_run: true } }).then(
      (answer) => setCounted(answer as ResendCount),
      (error) => setProblem(problemText(error)),
    );
  }, [selection]);
  const start = async () => {
    setBusy(true);
    try {
      const job = await call("post", "/v1/webhooks/resend", { body: selection });
      if ("id" in job) go(linkTo(`/console/jobs/${job.id}`));
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const words = plural(counted?.total ?? 0, "delivery", "deliveries");
  return (
    <ConfirmDialog
      title="Resend deliveries?"
      action={counted ? `Resend ${words}` : "Resend"}
      isBusy={isBusy || counted === null || counted.total === 0}
      onClose={onClose}
      onConfirm={() => void start()}
    >
      {problem !== null && (
        <span class="field-problem" role="alert">
          {problem}
        </span>
      )}
      {problem === null && counted === null && "Counting…"}
      {problem === null && counted !== null && (
        <>
          {counted.total === 0
            ? "None of them can be sent again. "
            : `${words} to ${plural(counted.endpoints, "endpoint", "endpoints")}, each as a new delivery at the end of the order, the oldest first. Receivers recognise a repeat by its webhook-id. `}
          {counted.skipped > 0 &&
            `${plural(counted.skipped, "is", "are")} skipped: still waiting, erased, a resend itself, or its endpoint is deleted or does not take it any more.`}
        </>
      )}
    </ConfirmDialog>
  );
}
