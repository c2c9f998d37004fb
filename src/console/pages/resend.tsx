import { useEffect, useState } from "preact/hooks";
import type { ResendCount, ResendSelection } from "../../client/types";
import { can, linkToPage } from "../shared/access";
import { ask, call } from "../shared/api";
import { ConfirmDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { go } from "../shared/location";
import { problemText } from "../shared/parts";
import { partTexts } from "../shared/texts";
import { say } from "../shared/toast";
import { type Filters, rangeOf } from "./delivery-filters";

/** Returns the filter of a resend, with absolute times, so that the job has the deliveries that were counted. */
export function failedOf(filters: Filters, now: number): NonNullable<ResendSelection["filter"]> {
  const { after, before } = rangeOf(filters, now);
  return {
    status: "failed",
    ...(filters.event !== null && { event_type: filters.event }),
    ...(filters.endpoint !== null && { endpoint_id: filters.endpoint }),
    ...(filters.answer !== null && { response_status: filters.answer }),
    ...(filters.error !== null && { error: filters.error as "timeout" }),
    ...(filters.key !== null && { ordering_key: filters.key }),
    ...(filters.sequence !== null && { sequence: Number(filters.sequence) }),
    ...(filters.fields.length > 0 && { data: Object.fromEntries(filters.fields) }),
    ...(after !== undefined && { after }),
    before: before ?? new Date(now).toISOString(),
  };
}

type ResendProps = { name: string; isShown: boolean; selectionOf(): ResendSelection };

/** Resends a selection of deliveries, after it has shown their number. */
export function Resend({ name, isShown, selectionOf }: ResendProps) {
  const [selection, setSelection] = useState<ResendSelection | null>(null);
  if (!can("retry")) return null;
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
  const t = partTexts.value;
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
      onClose();
      say(t.resending);
      if (can("operate") && "id" in job) go(linkToPage(`/jobs/${job.id}`));
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const words = counted ? t.resendHint(counted) : t.counting;
  return (
    <ConfirmDialog
      title={t.resendTitle}
      action={counted ? t.resendCounted(counted.total) : t.resend}
      isBusy={isBusy || counted === null || counted.total === 0}
      onClose={onClose}
      onConfirm={() => void start()}
    >
      {problem === null ? (
        words
      ) : (
        <span class="field-problem" role="alert">
          {problem}
        </span>
      )}
    </ConfirmDialog>
  );
}
