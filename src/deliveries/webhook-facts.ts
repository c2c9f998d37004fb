import type { DeliveryFacts } from "../attempt/webhook-request";
import { type DeliveryId, hopsOf, toText } from "../domain/ids";

/** Returns what an attempt's headers say of its delivery. */
export function webhookFacts(
  delivery: Readonly<{
    id: DeliveryId;
    replayOf: DeliveryId | null;
    event: string | null;
    orderingKey: string | null;
    sequence: number;
  }>,
  attempt: number,
): DeliveryFacts {
  const { id, replayOf, event, orderingKey, sequence } = delivery;
  return {
    webhookId: toText("wh", replayOf ?? id),
    event,
    orderingKey,
    sequence,
    attempt,
    hops: hopsOf(id) + 1,
  };
}
