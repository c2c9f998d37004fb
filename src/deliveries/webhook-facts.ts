import type { DeliveryFacts } from "../attempt/webhook-request";
import { type DeliveryId, type EndpointId, hopsOf, toText } from "../domain/ids";
import { isForgery, TEST_EVENT } from "../domain/test-event";

/** Returns what an attempt's headers say of its delivery. */
export function webhookFacts(
  delivery: Readonly<{
    id: DeliveryId;
    replayOf: DeliveryId | null;
    event: string | null;
    orderingKey: string | null;
    sequence: number;
    eventExternalId: string | null;
  }>,
  endpointId: EndpointId,
  attempt: number,
): DeliveryFacts {
  const { id, replayOf, event, orderingKey, sequence, eventExternalId } = delivery;
  return {
    // Resends have the id of their original. With an id of the sender's own, it is the same if the sender repeats the event.
    webhookId:
      eventExternalId === null
        ? toText("wh", replayOf ?? id)
        : `${eventExternalId}:${toText("ep", endpointId)}`,
    event: isForgery(event) ? TEST_EVENT : event,
    orderingKey,
    sequence,
    attempt,
    hops: hopsOf(id) + 1,
  };
}
