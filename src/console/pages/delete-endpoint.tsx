import type { Endpoint } from "../../client/types";
import { linkToPage } from "../shared/access";
import { call } from "../shared/api";
import { addressOf, hostOf, nameOf } from "../shared/endpoint-name";
import { ConfirmDialog } from "../shared/forms";
import { go } from "../shared/location";
import { invalidate } from "../shared/resource";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { useAction } from "./actions";

/** Deletes an endpoint once its host is typed. */
export function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = partTexts.value;
  const host = hostOf(addressOf(endpoint));
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/endpoints/{id}", { path: { id: endpoint.id } });
    onClose();
    invalidate("endpoints");
    go(linkToPage("/endpoints"));
    return t.removed;
  });
  return (
    <ConfirmDialog
      title={t.removeQuestion(visible(nameOf(endpoint)))}
      action={t.remove}
      expected={host}
      isDangerous
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      {t.removeHint}
    </ConfirmDialog>
  );
}
