import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Code } from "../shared/code";
import { Dialog } from "../shared/dialog";
import { duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Problem } from "../shared/parts";
import { useResource } from "../shared/resource";
import { answerOf, isSuccess, waitingSentence } from "../shared/words";
import { useAction } from "./actions";
import { keyed } from "./data";

export function TestEvent({
  endpoint,
  isSmall = false,
}: {
  endpoint: Pick<Endpoint, "id">;
  isSmall?: boolean;
}) {
  const [id, setId] = useState<string | null>(null);
  const { run, isBusy } = useAction(async () => {
    const sent = await call("post", "/v1/endpoints/{id}/test", { path: { id: endpoint.id }, body: {} });
    setId(sent.id);
    return null;
  });
  return (
    <>
      <button type="button" class={isSmall ? "btn sm" : "btn"} disabled={isBusy} onClick={() => void run()}>
        <Icon name="bolt" small={isSmall} />
        Send test event
      </button>
      {id !== null && (
        <Dialog title="Test event" onClose={() => setId(null)}>
          <TestResult id={id} />
        </Dialog>
      )}
    </>
  );
}

/** Follows the test event until it is answered, and explains common mistakes of a first receiver. */
export function TestResult({ id }: { id: string }) {
  const { data, error, reload } = useResource(
    keyed("delivery", id),
    () => call("get", "/v1/webhooks/{id}", { path: { id } }),
    { every: 700 },
  );
  const attempt = data?.attempts.at(-1);
  if (error && !data) return <Problem error={error} retry={reload} />;
  if (!data || !attempt)
    return (
      <div class="dialog-body" role="status">
        <p>
          {data?.waiting_for && data.waiting_for.reason !== "attempt" ? waitingSentence(data) : "Sending…"}
        </p>
      </div>
    );
  const ok = isSuccess(attempt.status);
  return (
    <div class="dialog-body" role="status">
      <ul class="checks">
        <Check
          isGood={attempt.status !== 0}
          text={attempt.status === 0 ? answerOf(attempt) : "The server answered"}
        />
        <Check
          isGood={ok}
          text={ok ? `with ${answerOf(attempt)}` : `${answerOf(attempt)} is no 2xx: Hermod tries again`}
        />
        {attempt.status !== 0 && <Check isGood text={`within ${duration(attempt.duration_ms)}`} />}
      </ul>
      {attempt.response_body && <Code label="Body of the answer" text={attempt.response_body} />}
      <p>
        <a class="link" href={linkTo(`/console/deliveries/${id}`)}>
          Open the delivery
        </a>
      </p>
    </div>
  );
}

function Check({ isGood, text }: { isGood: boolean; text: string }) {
  return (
    <li class={isGood ? "good" : "bad"}>
      <Icon name={isGood ? "check" : "alert"} />
      {text}
    </li>
  );
}
