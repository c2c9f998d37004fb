import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { actUnlessUndone, say } from "../shared/toast";
import { can } from "./session";

/** Runs an action, one call at a time, and shows its failure. */
export function useAction(act: () => Promise<string | null>) {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const done = await act();
      if (done !== null) say(done);
    } catch (error) {
      say(problemText(error));
    } finally {
      setBusy(false);
      invalidate("delivery", "endpoint", "queue", "backlog", "job");
    }
  };
  return { run, isBusy };
}

type RetryProps = { endpoint: Pick<Endpoint, "id">; isSmall?: boolean; isQuiet?: boolean };

/** Attempts what waits for a retry now, or resumes a paused endpoint. Hidden if an active endpoint is healthy or nothing waits. */
export function RetryEndpoint({
  endpoint,
  isSmall = false,
  isQuiet = false,
}: RetryProps & { endpoint: Pick<Endpoint, "is_active" | "health"> }) {
  const { run, isBusy } = useAction(async () => {
    const { retried } = await call("post", "/v1/endpoints/{id}/retry", { path: { id: endpoint.id } });
    return retried === 0
      ? "Nothing waits for a retry."
      : `${plural(retried, "delivery is", "deliveries are")} tried again now, in order.`;
  });
  if (!can("webhooks:retry")) return null;
  if (!endpoint.is_active) return <ResumeEndpoint endpoint={endpoint} isSmall={isSmall} isQuiet={isQuiet} />;
  if (endpoint.health.state === "healthy" || endpoint.health.pending === 0) return null;
  return (
    <button
      type="button"
      class={`btn ${isSmall ? "sm" : ""} ${isQuiet ? "" : "pri"}`}
      disabled={isBusy}
      onClick={() => void run()}
    >
      <Icon name="retry" small={isSmall} />
      Retry now
    </button>
  );
}

export function ResumeEndpoint({ endpoint, isSmall = false, isQuiet = false }: RetryProps) {
  const { run, isBusy } = useAction(async () => {
    await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: { is_active: true } });
    return "Resumed. What waited is sent now, in order.";
  });
  if (!can("endpoints:write")) return null;
  return (
    <button
      type="button"
      class={`btn ${isSmall ? "sm" : ""} ${isQuiet ? "" : "pri"}`}
      disabled={isBusy}
      onClick={() => void run()}
    >
      <Icon name="play" small={isSmall} />
      Resume
    </button>
  );
}

export function PauseEndpoint({ endpoint }: { endpoint: Pick<Endpoint, "id"> }) {
  const pause = () =>
    actUnlessUndone("Paused. Deliveries are kept in their order.", () => {
      void call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: { is_active: false } })
        .catch((error) => say(problemText(error)))
        .finally(() => invalidate("endpoint"));
    });
  if (!can("endpoints:write")) return null;
  return (
    <button type="button" class="btn" onClick={pause}>
      <Icon name="pause" />
      Pause
    </button>
  );
}
