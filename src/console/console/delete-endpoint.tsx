import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { go, linkTo } from "../shared/location";
import { invalidate } from "../shared/resource";
import { hostOf } from "../shared/words";
import { useAction } from "./actions";

export function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const host = hostOf(endpoint.url);
  const [typed, setTyped] = useState("");
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/endpoints/{id}", { path: { id: endpoint.id } });
    invalidate("endpoints");
    go(linkTo("/console/endpoints"));
    return "The endpoint is deleted, and what waited for it is cancelled.";
  });
  return (
    <Dialog title="Delete the endpoint?" onClose={onClose}>
      <form
        class="dialog-body form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          Deliveries that wait for it are cancelled. Its history stays until it is too old. This can't be
          undone; a pause keeps everything.
        </p>
        <label>
          Type {host} to confirm
          <input
            class="input mono"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            autocomplete="off"
          />
        </label>
        <div class="dialog-actions">
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn pri danger-solid" disabled={typed !== host || isBusy}>
            Delete {host}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
