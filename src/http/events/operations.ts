import { MAX_ENDPOINTS } from "../../intake/events/accept-events";
import { MAX_DELIVERIES } from "../../intake/sends/sending-request";
import { BATCH_EFFORT, batchOf, batchResults } from "../batch-model";
import { operation } from "../openapi/operation";
import { ref, written } from "../openapi/schema";
import { DETAIL_EXAMPLE } from "../webhooks/model";
import { PUBLISHED_EXAMPLE, PublishEvent } from "./model";

const tag = "Webhooks";
const EVENT_EXAMPLE = { event: DETAIL_EXAMPLE.event, data: DETAIL_EXAMPLE.data };

export const publish = operation("POST", {
  id: "publishEvent",
  permission: "webhooks:write",
  tag,
  summary: "Send an event to every endpoint that wants it",
  description:
    "Creates one delivery for every endpoint of the account whose filter the event matches, except endpoints with " +
    "`feed`. Creates all deliveries or none. Each gets its place in its endpoint's order and counts against the month's limit. " +
    "An event that no endpoint wants creates no delivery and is not an error: it is kept like any other. " +
    `At most ${written(MAX_ENDPOINTS)} endpoints. The payload is stored once, however many they are.`,
  body: { schema: PublishEvent, example: EVENT_EXAMPLE },
  success: {
    status: 201,
    description: "The event and its deliveries.",
    schema: ref("PublishedEvent"),
    example: PUBLISHED_EXAMPLE,
  },
});

export const publishMany = operation("POST", {
  id: "publishEvents",
  permission: "webhooks:write",
  tag,
  summary: "Send many events to every endpoint that wants them",
  description:
    "Works as if you sent the events one after another. Each event is accepted with all its deliveries, or refused with none. " +
    `One request makes at most ${written(MAX_DELIVERIES)} deliveries. The first event that exceeds this gets a 400, and so do all ` +
    "events after it. Send them in another request, or repeat this one with the same `Idempotency-Key`. " +
    BATCH_EFFORT,
  body: { schema: batchOf("NewEvents", "events", PublishEvent), example: { events: [EVENT_EXAMPLE] } },
  success: {
    status: 200,
    description: "The outcome of each item.",
    schema: batchResults("EventResult", "event", ref("PublishedEvent")),
    example: { results: [{ status: 201, event: PUBLISHED_EXAMPLE }] },
  },
});
