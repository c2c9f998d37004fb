import { Type } from "@sinclair/typebox";
import { batchResults } from "../../api/batch-model";
import { formatInstant } from "../../api/lists/instant";
import { named, timestamp } from "../../api/openapi/schema";
import { timeOf, toText } from "../../domain/ids";
import type { Accepted } from "../../intake/new-delivery";
import { DELIVERY_EXAMPLE, identity, scheduledFor } from "./delivery";

export const AcceptedModel = named(
  "AcceptedDelivery",
  Type.Object({ ...identity, deliver_after: scheduledFor, created_at: timestamp() }),
);

export const WebhookResults = batchResults("WebhookResult", "webhook", AcceptedModel);

/**
 * Writes the JSON text of an accepted delivery. By hand, because it answers every webhook. Ids and timestamps need no escaping.
 */
export function acceptedJson(delivery: Accepted): string {
  const { id, endpointId, event, orderingKey, sequence, dueAt } = delivery;
  const key = orderingKey === null ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
  const isExcluded = sequence === null && dueAt === null;
  const state = isExcluded ? '"status":"cancelled","cancel_reason":"event_filter"' : '"status":"pending"';
  const due = dueAt === null ? "" : `"deliver_after":"${formatInstant(dueAt)}",`;
  return (
    `{"id":"${toText("wh", id)}","endpoint_id":"${toText("ep", endpointId)}",` +
    `"event":${event === null ? "null" : JSON.stringify(event)},${key}${state},"attempt_count":0,${due}` +
    `"created_at":"${formatInstant(timeOf(id))}"}`
  );
}

const { response_status: _, ...sent } = DELIVERY_EXAMPLE;
export const ACCEPTED_EXAMPLE = { ...sent, status: "pending", attempt_count: 0 };
