import { useState } from "preact/hooks";
import type { Endpoint, ListedDelivery } from "../../client/types";
import { can } from "../shared/access";
import { call } from "../shared/api";
import { Icon } from "../shared/icon";
import { problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { partTexts } from "../shared/texts";
import { actUnlessUndone, say } from "../shared/toast";

/** Reads again what an action may have changed, and the list of changes. */
function readAgain(): void {
  invalidate("delivery", "endpoint", "queue", "backlog", "job", "changes");
}

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
      readAgain();
    }
  };
  return { run, isBusy };
}

type ActionProps = { isSmall?: boolean; isQuiet?: boolean };
type ActionButtonProps = ActionProps & { icon: string; label: string; act: () => Promise<string | null> };

/** A button that runs an action. */
export function ActionButton({ icon, label, act, isSmall = false, isQuiet = false }: ActionButtonProps) {
  const { run, isBusy } = useAction(act);
  const look = `btn ${isSmall ? "sm" : ""} ${isQuiet ? "" : "pri"}`;
  return (
    <button type="button" class={look} disabled={isBusy} onClick={() => void run()}>
      <Icon name={icon} small={isSmall} />
      {label}
    </button>
  );
}

/** True if a retry helps the endpoint now. A healthy one may have a delivery that is known to be held back. */
export function canRetry(
  { is_active, health }: Pick<Endpoint, "is_active" | "health">,
  isHeldBack = false,
): boolean {
  return can("retry") && is_active && (health.state !== "healthy" || isHeldBack) && health.pending > 0;
}

type RetryEndpointProps = ActionProps & { endpoint: Endpoint; isHeldBack?: boolean };

/** Attempts what waits for a retry now, or resumes a paused endpoint. Hidden where neither helps. */
export function RetryEndpoint({ endpoint, isHeldBack, ...look }: RetryEndpointProps) {
  const t = partTexts.value;
  if (!endpoint.is_active) return <ResumeEndpoint endpoint={endpoint} {...look} />;
  if (!canRetry(endpoint, isHeldBack)) return null;
  const retry = async () =>
    t.retried((await call("post", "/v1/endpoints/{id}/retry", { path: { id: endpoint.id } })).retried);
  return <ActionButton icon="retry" label={t.retry} act={retry} {...look} />;
}

/** Attempts the first delivery of an order now. Hidden unless it waits for its retry. */
export function RetryHead({ head }: { head: ListedDelivery }) {
  if (!can("retry") || head.waiting_for?.reason !== "retry" || head.sequence === null) return null;
  const retry = async () => {
    await call("post", "/v1/webhooks/{id}/retry", { path: { id: head.id } });
    return partTexts.value.retried(1);
  };
  return (
    <ActionButton
      icon="retry"
      label={partTexts.value.retryNumber(head.sequence)}
      act={retry}
      isSmall
      isQuiet
    />
  );
}

export function ResumeEndpoint({ endpoint, ...look }: ActionProps & { endpoint: Pick<Endpoint, "id"> }) {
  const t = partTexts.value;
  if (!can("manage_endpoints")) return null;
  const resume = async () => {
    await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: { is_active: true } });
    return t.resumed;
  };
  return <ActionButton icon="play" label={t.resume} act={resume} {...look} />;
}

/** Pauses the endpoint, unless it is undone. */
export function pauseEndpoint({ id }: Pick<Endpoint, "id">): void {
  actUnlessUndone(partTexts.value.pausedNow, () => {
    void call("patch", "/v1/endpoints/{id}", { path: { id }, body: { is_active: false } })
      .catch((error) => say(problemText(error)))
      .finally(readAgain);
  });
}

export function PauseEndpoint({ endpoint }: { endpoint: Pick<Endpoint, "id"> }) {
  if (!can("manage_endpoints")) return null;
  return (
    <button type="button" class="btn" onClick={() => pauseEndpoint(endpoint)}>
      <Icon name="pause" />
      {partTexts.value.pause}
    </button>
  );
}
