import { parseJsonObject } from "../json/json-text";
import { type Content, contentOf, eventOf } from "../webhooks/send-body";
import { readEventId } from "./event-id";
import { PublishEvent } from "./model";

/** The content of POST /events. */
export type EventBody = Content & {
  /** The sender's own id of the event; null for none. */
  externalId: string | null;
  /** The JSON text of `deliver_after`. */
  deliverAfter: string;
};

/** Reads the body of an event. */
export function readEvent(json: string, path?: readonly string[]): EventBody {
  const body = parseJsonObject(json, PublishEvent, path);
  const deliverAfter = JSON.stringify(body.deliver_after ?? null);
  const externalId = readEventId(body.event_id);
  return { externalId, deliverAfter, ...contentOf(eventOf(body.event), body, json) };
}
