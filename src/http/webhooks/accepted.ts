import { timeOf, toText } from "../../domain/ids";
import type { AcceptedDelivery } from "../../intake/sends/send";
import { formatInstant } from "../lists/instant";

/**
 * Writes the JSON text of an accepted delivery. By hand, since every webhook is answered with it; ids and timestamps
 * need no escaping.
 */
export function acceptedJson(delivery: AcceptedDelivery): string {
  const { id, endpointId, event, orderingKey, sequence } = delivery;
  const key = orderingKey === null ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
  const state =
    sequence === null ? '"status":"cancelled","cancel_reason":"event_filter"' : '"status":"pending"';
  return (
    `{"id":"${toText("wh", id)}","endpoint_id":"${toText("ep", endpointId)}",` +
    `"event":${event === null ? "null" : JSON.stringify(event)},${key}${state},"attempt_count":0,` +
    `"created_at":"${formatInstant(timeOf(id))}"}`
  );
}
