import {
  binaryHeaders,
  CLOUD_EVENT_TYPE,
  type CloudEvent,
  cloudEventOf,
  structured,
} from "../attempt/cloud-event";
import { enveloped, webhookIdOf } from "../attempt/webhook-request";
import { type EndpointId, timeOf } from "../domain/ids";
import type { PendingDelivery } from "../domain/pending-delivery";
import { receivedEvent } from "../domain/test-event";
import { JSON_TYPE, type MessageFormat } from "../domain/tuning";
import { itemOf } from "./batch-request";
import type { EndpointView } from "./endpoint";

/** Writes a message for people from an event type and a payload. */
type MessageWriter = (event: string | null, payload: string) => string;
export type MessageWriters = Readonly<Record<MessageFormat, MessageWriter>>;

/** Writes a payload in the form of the endpoint's bodies. */
export function bodyInForm(
  delivery: PendingDelivery,
  endpointId: EndpointId,
  endpoint: EndpointView,
  messages: MessageWriters,
  payload: string,
): string {
  const { format } = endpoint;
  switch (format) {
    case "payload":
    case "cloudevents_binary":
      return payload;
    case "envelope":
      if (endpoint.batchSize > 1) return `[${itemOf(delivery, endpointId, payload)}]`;
      return enveloped(webhookIdOf(delivery, endpointId), delivery.event, acceptedAtOf(delivery), payload);
    case "cloudevents":
      return structured(eventOf(delivery, endpointId), contentTypeOf(endpoint), payload);
    default:
      return messages[format](receivedEvent(delivery.event), payload);
  }
}

/** Returns the endpoint's own headers, with those that its format adds. */
export function headersInForm(
  delivery: PendingDelivery,
  endpointId: EndpointId,
  endpoint: EndpointView,
): EndpointView["headers"] {
  const { format, headers } = endpoint;
  if (format === "cloudevents") return { ...headers, "content-type": CLOUD_EVENT_TYPE };
  if (format !== "cloudevents_binary") return headers;
  return { ...headers, ...binaryHeaders(eventOf(delivery, endpointId), contentTypeOf(endpoint)) };
}

function eventOf(delivery: PendingDelivery, endpointId: EndpointId): CloudEvent {
  return cloudEventOf(webhookIdOf(delivery, endpointId), delivery, acceptedAtOf(delivery));
}

function contentTypeOf({ headers }: EndpointView): string {
  return headers?.["content-type"] ?? JSON_TYPE;
}

/** Returns when the event was accepted, in Unix milliseconds: of a resend, the first delivery. */
function acceptedAtOf({ id, replayOf }: PendingDelivery): number {
  return timeOf(replayOf ?? id);
}
