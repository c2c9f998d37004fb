import { Type } from "@sinclair/typebox";
import { batchOf } from "../../api/batch-model";
import { knownFields } from "../../api/json/json-text";
import type { RequestBody } from "../../api/json/request-body";
import { optional, request } from "../../api/openapi/schema";
import { contentOf, dueAtOf, eventOf, type SendContent, SendWebhook } from "../webhooks/send-body";
import { eventId, readEventId } from "./event-id";

export const PublishEvent = request(
  "CreateEvent",
  Type.Composite([
    Type.Pick(SendWebhook, ["event", "ordering_key", "deliver_after", "data"]),
    Type.Object({ event_id: optional(eventId) }),
  ]),
);

export const PublishEvents = batchOf("CreateEvents", "events", PublishEvent);

/** The content of POST /events. */
export type EventBody = SendContent & {
  /** The sender's own id of the event; null for none. */
  externalId: string | null;
  /** The JSON text of `deliver_after`. */
  deliverAfter: string;
};

/** Reads the body of an event. */
export function readEvent(given: RequestBody, retentionMs: number, path?: readonly string[]): EventBody {
  const body = knownFields(given, PublishEvent, path);
  const deliverAfter = JSON.stringify(body.deliver_after ?? null);
  const externalId = readEventId(body.event_id);
  const content = contentOf(eventOf(body.event), body, given.text);
  return { externalId, deliverAfter, ...content, dueAt: dueAtOf(body, retentionMs) };
}
