import { toText } from "../domain/ids";
import type { PendingDelivery } from "../domain/pending-delivery";
import { receivedEvent } from "../domain/test-event";
import { JSON_TYPE } from "../domain/tuning";

/** A delivery as a CloudEvent (CloudEvents 1.0): its attributes, without the data. */
export type CloudEvent = Readonly<{
  id: string;
  source: string;
  specversion: "1.0";
  type: string;
  time: string;
}>;

export const CLOUD_EVENT_TYPE = "application/cloudevents+json";
/** The type of a delivery without an event. A CloudEvent must have one. */
export const UNTYPED = "webhook";

/** The headers of the binary mode. Endpoints may have headers for other attributes, such as `ce-subject`. */
export const CLOUD_EVENT_HEADERS = ["ce-id", "ce-source", "ce-specversion", "ce-time", "ce-type"];

export function cloudEventOf(
  webhookId: string,
  { accountId, event }: Pick<PendingDelivery, "accountId" | "event">,
  acceptedAt: number,
): CloudEvent {
  return {
    id: webhookId,
    source: `urn:hermod:${toText("acc", accountId)}`,
    specversion: "1.0",
    type: receivedEvent(event) ?? UNTYPED,
    time: new Date(acceptedAt).toISOString(),
  };
}

/** Writes an event in the structured mode: one JSON object. Keeps the data's text. */
export function structured(event: CloudEvent, contentType: string, data: string): string {
  const head = JSON.stringify({ ...event, datacontenttype: dataTypeOf(contentType) });
  return `${head.slice(0, -1)},"data":${data}}`;
}

/** Makes the headers of the binary mode, in which the body is the data alone. */
export function binaryHeaders(event: CloudEvent, contentType: string): Record<string, string> {
  const attributes = Object.entries(event).map(([name, value]) => [`ce-${name}`, encoded(value)]);
  return { "content-type": dataTypeOf(contentType), ...Object.fromEntries(attributes) };
}

/** Returns the type of the data. It is no CloudEvent itself, whatever type the endpoint had before. */
function dataTypeOf(contentType: string): string {
  return contentType === CLOUD_EVENT_TYPE ? JSON_TYPE : contentType;
}

/** Encodes an attribute for a header (HTTP Protocol Binding, 3.1.3.2). */
function encoded(value: string): string {
  return value.replaceAll(/[^\x21\x23\x24\x26-\x7e]+/g, encodeURIComponent);
}
