import type { AcceptedDelivery } from "../../intake/send";
import { timeOf, toText } from "../../runtime/ids";
import { formatInstant } from "../lists/instant";

/**
 * The JSON text of a delivery that was just accepted. Written by hand: identifiers and timestamps need no
 * escaping, and every webhook is answered with it.
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
