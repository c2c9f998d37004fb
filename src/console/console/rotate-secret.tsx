import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { Id, problemText, Time } from "../shared/parts";

const OVERLAPS = [
  [86_400, "for a day"],
  [3_600, "for an hour"],
  [604_800, "for a week"],
  [0, "not at all: it may be known to others"],
] as const;

type Rotated = Readonly<{ secret: string; until: string | null }>;

/** Replaces the signing secret. The new one is shown once, and the dialog stays until it is stored. */
export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const [overlap, setOverlap] = useState(86_400);
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const answer = await call("post", "/v1/endpoints/{id}/rotate-secret", {
        path: { id: endpoint.id },
        body: { overlap },
      });
      setRotated({ secret: answer.signing_secret, until: answer.previous_secret_expires_at });
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  if (rotated) return <NewSecret {...rotated} onClose={onClose} />;
  return (
    <Dialog title="Rotate the signing secret" onClose={onClose}>
      <form class="dialog-body form" onSubmit={submit}>
        <p>
          Hermod makes a new secret. Until the receiver knows it, the old one can sign as well: then each
          webhook has two signatures, and one that fits is enough.
        </p>
        <label>
          The old secret signs on
          <select
            class="input"
            value={overlap}
            onChange={(event) => setOverlap(Number(event.currentTarget.value))}
          >
            {OVERLAPS.map(([seconds, words]) => (
              <option key={seconds} value={seconds}>
                {words}
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
            Make a new secret
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function NewSecret({ secret, until, onClose }: Rotated & { onClose(): void }) {
  return (
    <Dialog title="The new secret" isSticky onClose={onClose}>
      <div class="dialog-body">
        <p>
          It is shown only now.
          {until && (
            <>
              {" The old one signs until "}
              <Time at={until} />.
            </>
          )}
        </p>
        <p class="secret">
          <Id id={secret} />
        </p>
        <div class="dialog-actions">
          <button type="button" class="btn pri" onClick={onClose}>
            I have stored it
          </button>
        </div>
      </div>
    </Dialog>
  );
}
