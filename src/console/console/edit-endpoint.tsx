import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { say } from "../shared/toast";
import { AddressFields, changesOf, EventFields, OrderFields, settingsOf, useSettings } from "./endpoint-form";
import { FormDialog } from "./forms";

/** The panel that changes an endpoint. Sends only the changed settings. */
export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const { settings, onChange } = useSettings(settingsOf(endpoint));
  const before = changesOf(settingsOf(endpoint));
  const changes = Object.fromEntries(
    Object.entries(changesOf(settings)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );
  const hasChanges = Object.keys(changes).length > 0;
  const save = async () => {
    await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: changes });
    say("Saved. Deliveries that wait use this from their next attempt.");
    onClose();
  };
  return (
    <FormDialog title="Settings" action="Save" isPanel isReady={hasChanges} onClose={onClose} submit={save}>
      <AddressFields settings={settings} onChange={onChange} />
      <h3>Events</h3>
      <EventFields settings={settings} onChange={onChange} />
      <h3>Delivery</h3>
      <OrderFields settings={settings} onChange={onChange} />
    </FormDialog>
  );
}
