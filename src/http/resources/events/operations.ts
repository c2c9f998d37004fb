import { Type } from "@sinclair/typebox";
import { EVENT_MAX_LENGTH } from "../../../domain/names";
import { MAX_ENDPOINTS } from "../../../intake/events/accept-events";
import { MAX_DELIVERIES } from "../../../intake/sends/sending-request";
import { PLAIN_PATTERN } from "../../../runtime/text/plain-text";
import { BATCH_EFFORT, batchOf, batchResults } from "../../batch-model";
import { CURSOR_PARAMETERS } from "../../lists/cursor-model";
import { operation } from "../../openapi/operation";
import { ref, text, timestamp, written } from "../../openapi/schema";
import { DETAIL_EXAMPLE } from "../webhooks/delivery-detail";
import { ERASED } from "../webhooks/erasing";
import { MAX_PAYLOAD_FIELDS } from "../webhooks/search-query";
import { eventId } from "./event-id";
import { EVENT_DETAIL_EXAMPLE, EVENT_EXAMPLE, PARTS_SHOWN, PUBLISHED_EXAMPLE, PublishEvent } from "./model";

const tag = "Events";
const NEW_EVENT_EXAMPLE = { event: DETAIL_EXAMPLE.event, data: DETAIL_EXAMPLE.data };
const path = { id: { description: "The event's id.", example: EVENT_EXAMPLE.id } };

export const publish = operation({
  id: "publishEvent",
  permission: "webhooks:write",
  tag,
  summary: "Send an event to every endpoint that wants it",
  description:
    "Creates one delivery for every endpoint of the account whose filter the event matches, except endpoints with " +
    "`feed`. Creates all deliveries or none. Each gets its place in its endpoint's order and counts against the month's limit. " +
    "An event that no endpoint wants creates no delivery and is not an error: it is kept like any other. " +
    `At most ${written(MAX_ENDPOINTS)} endpoints. The payload is stored once for all of them.`,
  body: { schema: PublishEvent, isRaw: true, example: NEW_EVENT_EXAMPLE },
  success: {
    status: 201,
    description: "The event and its deliveries.",
    schema: ref("PublishedEvent"),
    example: PUBLISHED_EXAMPLE,
  },
});

export const publishMany = operation({
  id: "publishEvents",
  permission: "webhooks:write",
  tag,
  summary: "Send many events to every endpoint that wants them",
  description:
    "Works as if you sent the events one after another. Each event is accepted with all its deliveries, or refused with none. " +
    `One request makes at most ${written(MAX_DELIVERIES)} deliveries. The first event that exceeds this gets a 400, and so do all ` +
    "events after it. Send them in another request, or repeat this one with the same `Idempotency-Key`. " +
    BATCH_EFFORT,
  body: {
    isRaw: true,
    schema: batchOf("CreateEvents", "events", PublishEvent),
    example: { events: [NEW_EVENT_EXAMPLE] },
  },
  success: {
    status: 200,
    description: "The outcome of each item.",
    schema: batchResults("EventResult", "event", ref("PublishedEvent")),
    example: { results: [{ status: 201, event: PUBLISHED_EXAMPLE }] },
  },
});

/** The filters of lists of events. */
export const EVENT_FILTERS = {
  event_type: text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, description: "Only events of this type." }),
  event_id: eventId,
  after: timestamp("Only events created at or after this time."),
  before: timestamp("Only events created before this time."),
  "data.<field>": Type.String({
    minLength: 1,
    pattern: PLAIN_PATTERN,
    description: "Only events with this value in this top-level field of their payload.",
  }),
};

export const list = operation({
  id: "listEvents",
  permission: "webhooks:read",
  tag,
  summary: "List events",
  description:
    "Newest first: every event that was accepted, whether an endpoint wanted it or not. `data.<field>` works as in " +
    `\`GET /webhooks\`: up to ${MAX_PAYLOAD_FIELDS} fields, a quarter of a second a request, so that a page may have fewer items than you ` +
    "asked for and still a `cursor`.",
  query: Type.Object({
    ...CURSOR_PARAMETERS,
    ...EVENT_FILTERS,
  }),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("EventPage"),
    example: { data: [EVENT_EXAMPLE], cursor: null },
  },
});

export const get = operation({
  id: "getEvent",
  permission: "webhooks:read",
  tag,
  summary: "Get an event",
  description:
    `Shows its deliveries, and the account's endpoints without one and why: the first ${PARTS_SHOWN} of each, with a cursor if there ` +
    "are more.",
  path,
  success: {
    status: 200,
    description: "The event.",
    schema: ref("EventDetail"),
    example: EVENT_DETAIL_EXAMPLE,
  },
  errors: [404],
});

export const listDeliveries = operation({
  id: "listEventDeliveries",
  permission: "webhooks:read",
  tag,
  summary: "List an event's deliveries",
  description:
    "The oldest endpoint's delivery first, then the deliveries that a replay of missing events added.",
  path,
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("EventDeliveries"),
    example: { data: EVENT_DETAIL_EXAMPLE.deliveries, cursor: null },
  },
  errors: [404],
});

export const listMissed = operation({
  id: "listMissedEndpoints",
  permission: "webhooks:read",
  tag,
  summary: "List the endpoints that did not get an event",
  description:
    "The oldest endpoint first, each with the reason. `POST /endpoints/{id}/replay` with `missing` brings an endpoint the events " +
    "that it wants and did not get.",
  path,
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("MissedEventPage"),
    example: { data: EVENT_DETAIL_EXAMPLE.missed, cursor: null },
  },
  errors: [404],
});

export const erase = operation({
  audit: { shows: [] },
  id: "eraseEventPayload",
  permission: "webhooks:write",
  tag,
  summary: "Erase an event's payload",
  description:
    "Removes the payload for good from the event, from all its deliveries and from their resends. Cancels pending deliveries with the " +
    "reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.",
  path,
  success: ERASED,
  errors: [404],
});
