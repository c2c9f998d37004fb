import { useState } from "preact/hooks";
import type { DeliveryDetail } from "../../client/types";
import { useAction } from "../pages/actions";
import { ResendDelivery, RetryDelivery } from "../pages/delivery";
import type { Both } from "../pages/timeline";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { count, duration } from "../shared/format";
import { ConfirmDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
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
    <>
      <button type="button" class="btn" onClick={copy}>
        <Icon name="copy" />
        Copy summary
      </button>
      {can("webhooks:retry") && status === "pending" && <CancelDelivery id={id} />}
      <RetryDelivery delivery={delivery} />
      <ResendDelivery delivery={delivery} />
      {can("webhooks:write") && !delivery.erased_at && (
        <Menu items={[erase]} label="More actions">
          <Icon name="more" />
        </Menu>
      )}
      {isErasing && <Erase delivery={delivery} onClose={() => setErasing(false)} />}
    </>
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
