import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Time } from "../shared/parts";
import { FormDialog, ShownOnce } from "./forms";

const OVERLAPS = [
  [86_400, "for a day"],
  [3_600, "for an hour"],
  [604_800, "for a week"],
  [0, "not at all: it may be known to others"],
] as const;

type Rotated = Readonly<{ secret: string; until: string | null }>;

/** Replaces the signing secret. */
export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
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
      <ShownOnce title="The new secret" secret={rotated.secret} onClose={onClose}>
        {rotated.until && (
          <>
            {" The old one signs until "}
            <Time at={rotated.until} />.
          </>
        )}
      </ShownOnce>
    );
  return (
    <FormDialog
      title="Rotate the signing secret"
      action="Make a new secret"
      onClose={onClose}
      submit={rotate}
    >
      <p>
        Hermod makes a new secret. Until the receiver knows it, the old one can sign as well: then each
        webhook has two signatures, and one that fits is enough.
      </p>
      <label>
        The old secret signs on
        <select class="input" name="overlap">
          {OVERLAPS.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
