import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { problemText } from "../shared/parts";
import { say } from "../shared/toast";
import { AddressFields, changesOf, EventFields, OrderFields, settingsOf, useSettings } from "./endpoint-form";

/** Changes an endpoint in a panel beside its page. Sends only what differs. */
export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const { settings, onChange } = useSettings(settingsOf(endpoint));
  const [problem, setProblem] = useState<string | null>(null);
  const before = changesOf(settingsOf(endpoint));
  const changes = Object.fromEntries(
    Object.entries(changesOf(settings)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );
  const hasChanges = Object.keys(changes).length > 0;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: changes });
      say("Saved. Deliveries that wait use this from their next attempt.");
      onClose();
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  return (
    <Dialog title="Settings" isPanel onClose={onClose}>
      <form class="dialog-body form" onSubmit={submit}>
        <AddressFields settings={settings} onChange={onChange} />
        <h3>Events</h3>
        <EventFields settings={settings} onChange={onChange} />
        <h3>Delivery</h3>
        <OrderFields settings={settings} onChange={onChange} />
        {problem && (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-actions sticky">
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn pri" disabled={!hasChanges}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
