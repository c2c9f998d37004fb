import { parseJsonObject } from "../json/json-text";
import { type Content, contentOf, eventOf } from "../webhooks/send-body";
import { readEventId } from "./event-id";
import { PublishEvent } from "./model";

/** The content of POST /events. */
export type EventBody = Content & {
  /** The sender's own id for the event. */
  externalId: string | null;
};

/** Reads the body of an event. */
export function readEvent(json: string, path?: readonly string[]): EventBody {
  const body = parseJsonObject(json, PublishEvent, path);
  return { externalId: readEventId(body.event_id), ...contentOf(eventOf(body.event), body, json) };
}
