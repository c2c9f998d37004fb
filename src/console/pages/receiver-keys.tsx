import { useState } from "preact/hooks";
import type { Endpoint, ReceiverKey } from "../../client/types";
import { access, can, keyed } from "../shared/access";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { FormDialog, ShownOnce } from "../shared/forms";
import { Problem, Skeleton, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { useAction } from "./actions";

/** Lists the keys with which the endpoint's receiver reads its deliveries; makes and revokes them. */
export function ReceiverKeys({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = partTexts.value;
  const [made, setMade] = useState<string | null>(null);
  const path = { id: endpoint.id };
  const { data, error, reload } = useResource(keyed("receiver-keys", endpoint.id), () =>
    call("get", "/v1/endpoints/{id}/receiver-keys", { path }),
  );
  const make = async (form: FormData) => {
    const name = String(form.get("name")).trim() || null;
    setMade((await call("post", "/v1/endpoints/{id}/receiver-keys", { path, body: { name } })).key);
    reload();
  };
  if (made) return <ShownOnce title={t.receiverKey} hint={t.keyOnce} secret={made} onClose={onClose} />;
  const list = (
    <>
      <p>{t.receiverKeysHint}</p>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      <ul class="plain">
        {data?.data.map((each) => (
          <KeyRow key={each.id} endpoint={endpoint} receiverKey={each} onRevoked={reload} />
        ))}
      </ul>
    </>
  );
  if (!mayMake())
    return (
      <Dialog title={t.receiverKeys} onClose={onClose}>
        <div class="dialog-body">{list}</div>
      </Dialog>
    );
  return (
    <FormDialog title={t.receiverKeys} action={t.makeKey} onClose={onClose} submit={make}>
      {list}
      <label>
        {t.keyName}
        <input class="input" name="name" maxLength={256} autocomplete="off" />
      </label>
    </FormDialog>
  );
}

/** A key reads all payloads of the endpoint, so a session that may not see them all makes none. */
function mayMake(): boolean {
  return can("view_payloads") && access.value.eventTypes === null;
}

type KeyRowProps = { endpoint: Endpoint; receiverKey: ReceiverKey; onRevoked(): void };

function KeyRow({ endpoint, receiverKey, onRevoked }: KeyRowProps) {
  const t = partTexts.value;
  const { id, name, last_used_at: usedAt } = receiverKey;
  const label = visible(name ?? id);
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/endpoints/{id}/receiver-keys/{key_id}", {
      path: { id: endpoint.id, key_id: id },
    });
    onRevoked();
    return t.keyRevoked(label);
  });
  return (
    <li class="row wrap">
      <span class="grow break">
        {label} <span class="dim">{usedAt ? <Time at={usedAt} /> : t.neverUsed}</span>
      </span>
      <button type="button" class="btn danger" disabled={isBusy} onClick={() => void run()}>
        {t.revokeKey}
      </button>
    </li>
  );
}
