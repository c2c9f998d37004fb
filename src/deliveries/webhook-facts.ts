import type { DeliveryFacts } from "../attempt/webhook-request";
import { type DeliveryId, type EndpointId, hopsOf, toText } from "../domain/ids";
import { receivedEvent } from "../domain/test-event";

/** Returns the facts about a delivery that an attempt's headers contain. */
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
    // A resend has the id of its original. If the sender gave an id, a repeated event has the same id.
    webhookId:
      eventExternalId === null
        ? toText("wh", replayOf ?? id)
        : `${eventExternalId}:${toText("ep", endpointId)}`,
    event: receivedEvent(event),
    orderingKey,
    sequence,
    attempt,
    hops: hopsOf(id) + 1,
  };
}
