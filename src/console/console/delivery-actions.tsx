import { useState } from "preact/hooks";
import type { DeliveryDetail } from "../../client/types";
import { ResumeEndpoint, useAction } from "../pages/actions";
import type { Both } from "../pages/timeline";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { count, duration } from "../shared/format";
import { ConfirmDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { go, linkTo } from "../shared/location";
import { copyText } from "../shared/parts";
import { Menu } from "../shared/popover";
import { actUnlessUndone } from "../shared/toast";
import { can } from "./session";
import { pillWord } from "./words";

/** The actions on a delivery. The one that can't be undone is in the menu. */
export function DeliveryActions({ delivery, endpoint }: Both) {
  const [isErasing, setErasing] = useState(false);
  const { id, status } = delivery;
  const copy = () => void copyText(summaryOf({ delivery, endpoint }), "The summary is copied.");
  const erase = { label: "Erase payload", isDanger: true, act: () => setErasing(true) };
  return (
    <div class="row wrap actions">
      <button type="button" class="btn" onClick={copy}>
        <Icon name="copy" />
        Copy summary
      </button>
      {can("webhooks:retry") && status === "pending" && <CancelDelivery id={id} />}
      {can("webhooks:retry") && status === "pending" && <RetryDelivery delivery={delivery} />}
      {can("webhooks:retry") && status !== "pending" && !delivery.erased_at && <ResendDelivery id={id} />}
      {can("webhooks:write") && !delivery.erased_at && (
        <Menu items={[erase]} label="More actions">
          <Icon name="more" />
        </Menu>
      )}
      {isErasing && <Erase delivery={delivery} onClose={() => setErasing(false)} />}
    </div>
  );
}

/** Retries the delivery, or the delivery in front for which it waits. */
function RetryDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const waiting = delivery.waiting_for;
  const front = waiting?.reason === "turn" ? waiting.in_front : null;
  const { run, isBusy } = useAction(async () => {
    await call("post", "/v1/webhooks/{id}/retry", { path: { id: front?.id ?? delivery.id } });
    return front ? `#${count(front.sequence)} is tried again now.` : "It is tried again now.";
  });
  if (waiting?.reason === "pause") return <ResumeEndpoint endpoint={{ id: delivery.endpoint_id }} />;
  const canHelp = front ? front.next_attempt_at !== null : waiting?.reason === "retry";
  if (!canHelp) return null;
  return (
    <button type="button" class="btn pri" disabled={isBusy} onClick={() => void run()}>
      <Icon name="retry" />
      {front ? `Retry #${count(front.sequence)} now` : "Retry now"}
    </button>
  );
}

function CancelDelivery({ id }: { id: string }) {
  const { run } = useAction(async () => {
    await call("post", "/v1/webhooks/{id}/cancel", { path: { id } });
    return "Cancelled. What waited behind it goes on.";
  });
  return (
    <button
      type="button"
      class="btn danger"
      onClick={() => actUnlessUndone("Cancelling in 5 seconds.", () => void run())}
    >
      Cancel
    </button>
  );
}

function ResendDelivery({ id }: { id: string }) {
  const { run, isBusy } = useAction(async () => {
    const resent = await call("post", "/v1/webhooks/{id}/resend", { path: { id } });
    go(linkTo(`/console/deliveries/${resent.id}`));
    return "Sent again. This is the new delivery.";
  });
  return (
    <button type="button" class="btn pri" disabled={isBusy} onClick={() => void run()}>
      <Icon name="retry" />
      Resend
    </button>
  );
}

function Erase({ delivery, onClose }: { delivery: DeliveryDetail; onClose(): void }) {
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/webhooks/{id}/payload", { path: { id: delivery.id } });
    onClose();
    return "The payload is erased.";
  });
  return (
    <ConfirmDialog
      title="Erase the payload?"
      action="Erase payload"
      expected={delivery.sequence === null ? delivery.id.slice(-5) : String(delivery.sequence)}
      isDangerous
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      Hermod forgets what this delivery carried and what the receiver answered. A waiting delivery is
      cancelled. This can't be undone.
    </ConfirmDialog>
  );
}

/** Returns a summary of the delivery for a ticket. */
function summaryOf({ delivery, endpoint }: Both): string {
  const number = delivery.sequence === null ? "" : `, #${count(delivery.sequence)}`;
  const lines = [
    `${delivery.event ?? "no event type"} (${delivery.id}${number})`,
    `to ${endpoint?.url ?? delivery.endpoint_id}`,
    `${pillWord(delivery)}, accepted ${new Date(delivery.created_at).toISOString()}`,
    ...delivery.attempts.map(
      (each) => `${each.attempt}. ${each.timestamp} ${answerOf(each)}, ${duration(each.duration_ms)}`,
    ),
  ];
  const waiting = delivery.waiting_for;
  if (waiting?.reason === "retry") lines.push(`Next attempt ${waiting.until}`);
  return lines.join("\n");
}
