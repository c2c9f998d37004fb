import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { go, linkTo } from "../shared/location";
import { problemText } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { useEventTypes } from "./data";
import { rangeOf } from "./delivery-filters";

const TIMES = [
  ["1h", "the last hour"],
  ["24h", "the last 24 hours"],
  ["7d", "the last 7 days"],
  ["30d", "the last 30 days"],
] as const;

/** Sends deliveries of a time again, in their order, as a job. */
export function Replay({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const types = useEventTypes().data ?? [];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const { after } = rangeOf({ time: String(form.get("time")), after: null, before: null }, serverNow());
    const type = String(form.get("event") ?? "");
    try {
      const job = await call("post", "/v1/endpoints/{id}/replay", {
        path: { id: endpoint.id },
        body: {
          status: String(form.get("status")) as "failed",
          ...(after && { after }),
          ...(type && { event: type }),
        },
      } as never);
      go(linkTo(`/console/jobs/${(job as { id: string }).id}`));
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  return (
    <Dialog title="Replay deliveries" onClose={onClose}>
      <form class="dialog-body form" onSubmit={submit}>
        <p>
          A job sends them again in their order, each as a new delivery behind what already waits. It pauses
          while 100 wait, so new events never queue behind more.
        </p>
        <label>
          Deliveries that
          <select class="input" name="status">
            <option value="failed">failed</option>
            <option value="delivered">were delivered</option>
            <option value="cancelled">were cancelled</option>
          </select>
        </label>
        <label>
          Accepted in
          <select class="input" name="time">
            {TIMES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Of the event type
          <select class="input" name="event">
            <option value="">any</option>
            {types.map(({ event_type }) => (
              <option key={event_type} value={event_type}>
                {event_type}
              </option>
            ))}
          </select>
        </label>
        {problem && (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn pri">
            Start the job
          </button>
        </div>
      </form>
    </Dialog>
  );
}
