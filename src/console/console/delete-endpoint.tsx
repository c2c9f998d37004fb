import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { hostOf } from "../shared/endpoint-name";
import { go, linkTo } from "../shared/location";
import { invalidate } from "../shared/resource";
import { useAction } from "./actions";
import { ConfirmDialog } from "./forms";

export function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const host = hostOf(endpoint.url);
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/endpoints/{id}", { path: { id: endpoint.id } });
    invalidate("endpoints");
    go(linkTo("/console/endpoints"));
    return "The endpoint is deleted, and what waited for it is cancelled.";
  });
  return (
    <ConfirmDialog
      title="Delete the endpoint?"
      action={`Delete ${host}`}
      expected={host}
      isDangerous
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      Deliveries that wait for it are cancelled. Its history stays until it is too old. This can't be undone;
      a pause keeps everything.
    </ConfirmDialog>
  );
}
