import type { Endpoint } from "../../client/types";
import { rangeOf } from "../pages/delivery-filters";
import { useEventTypes } from "../pages/endpoint-data";
import { call } from "../shared/api";
import { FormDialog } from "../shared/forms";
import { go, linkTo } from "../shared/location";
import { serverNow } from "../shared/server-clock";
import { visible } from "../shared/visible-text";

const TIMES = [
  ["1h", "the last hour"],
  ["24h", "the last 24 hours"],
  ["7d", "the last 7 days"],
  ["30d", "the last 30 days"],
] as const;

/** The dialog that starts a replay of deliveries in a range of time. */
export function Replay({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const types = useEventTypes().data ?? [];
  const start = async (form: FormData) => {
    const { after } = rangeOf({ time: String(form.get("time")), after: null, before: null }, serverNow());
    const type = String(form.get("event") ?? "");
    const job = await call("post", "/v1/endpoints/{id}/replay", {
      path: { id: endpoint.id },
      body: {
        status: String(form.get("status")) as "failed" | "delivered" | "cancelled",
        ...(after && { after }),
        ...(type && { event: type }),
      },
    });
    go(linkTo(`/console/jobs/${job.id}`));
  };
  return (
    <FormDialog title="Replay deliveries" action="Start the job" onClose={onClose} submit={start}>
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
              {visible(event_type)}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
