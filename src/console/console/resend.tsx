import { useState } from "preact/hooks";
import { call } from "../shared/api";
import { plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { problemText } from "../shared/parts";
import { say } from "../shared/toast";
import type { DeliveryList } from "./delivery-list";
import { ConfirmDialog } from "./forms";
import { can } from "./session";

/** Resends the chosen deliveries that have ended, oldest first. */
export function ResendSelected({
  list,
  selected,
}: {
  list: DeliveryList;
  selected: { value: ReadonlySet<string> };
}) {
  const [isAsking, setAsking] = useState(false);
  const chosen = list.rows.value
    .filter(({ id, status }) => selected.value.has(id) && status !== "pending")
    .reverse();
  if (!can("webhooks:retry") || chosen.length === 0) return null;
  const act = async () => {
    setAsking(false);
    let done = 0;
    try {
      for (const { id } of chosen) {
        await call("post", "/v1/webhooks/{id}/resend", { path: { id } });
        done++;
      }
      say(`${plural(done, "delivery is", "deliveries are")} sent again.`);
    } catch (error) {
      say(`${plural(done, "delivery was", "deliveries were")} sent again; then: ${problemText(error)}`);
    }
    selected.value = new Set();
    void list.look();
  };
  const words = plural(chosen.length, "delivery", "deliveries");
  return (
    <>
      <button type="button" class="btn sm" onClick={() => setAsking(true)}>
        <Icon name="retry" small />
        Resend {chosen.length}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Resend ${words}?`}
          action={`Resend ${words}`}
          onClose={() => setAsking(false)}
          onConfirm={() => void act()}
        >
          Each goes to its endpoint again as a new delivery at the end of the order, oldest first. Receivers
          recognise a repeat by its <code>webhook-id</code>.
        </ConfirmDialog>
      )}
    </>
  );
}
