import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { FormDialog, ShownOnce } from "../shared/forms";
import { Time } from "../shared/parts";
import { partTexts } from "../shared/texts";

/** For how many seconds the old secret can sign on; the first is proposed. */
const OVERLAPS = [86_400, 3_600, 604_800, 0] as const;

type Rotated = Readonly<{ secret: string; until: string | null }>;

/** Replaces the signing secret. */
export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = partTexts.value;
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const rotate = async (form: FormData) => {
    const answer = await call("post", "/v1/endpoints/{id}/rotate-secret", {
      path: { id: endpoint.id },
      body: { overlap: Number(form.get("overlap")) },
    });
    setRotated({ secret: answer.signing_secret, until: answer.previous_secret_expires_at });
  };
  if (rotated)
    return (
      <ShownOnce title={t.rotate} secret={rotated.secret} onClose={onClose}>
        {rotated.until && (
          <>
            {" "}
            {t.oldSignsUntil} <Time at={rotated.until} />.
          </>
        )}
      </ShownOnce>
    );
  return (
    <FormDialog title={t.rotate} action={t.makeSecret} onClose={onClose} submit={rotate}>
      <p>{t.rotateHint}</p>
      <label>
        {t.oldSigns}
        <select class="input" name="overlap">
          {OVERLAPS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {t.overlaps[seconds]}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
