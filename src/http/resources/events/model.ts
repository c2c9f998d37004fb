import { type Static, Type } from "@sinclair/typebox";
import { timeOf, toText } from "../../../domain/ids";
import { type EventDetail, type EventSummary, MISSED_REASONS, type Missed } from "../../../events/event";
import type { AcceptedEvent } from "../../../intake/events/fan-out";
import { cursorPageOf } from "../../lists/cursor-model";
import type { Page } from "../../lists/cursor-page";
import { formatInstant } from "../../lists/instant";
import { named, nullable, optional, ref, request, timestamp, words } from "../../openapi/schema";
import { ACCEPTED_EXAMPLE, acceptedJson } from "../webhooks/accepted";
import { DELIVERY_EXAMPLE } from "../webhooks/delivery";
import { DETAIL_EXAMPLE } from "../webhooks/delivery-detail";
import { SendWebhook } from "../webhooks/send-body";
import { eventId } from "./event-id";

export const PublishEvent = request(
  "CreateEvent",
  Type.Composite([
    Type.Pick(SendWebhook, ["event", "ordering_key", "deliver_after", "data"]),
    Type.Object({ event_id: optional(eventId) }),
  ]),
);

const identity = {
  id: Type.String({ description: "Begins with `evt_`." }),
  event: nullable(Type.String()),
  ordering_key: Type.Optional(Type.String({ description: "Present only if the sender gave one." })),
  event_id: Type.Optional(
    Type.String({ description: "Your own id of the event. Present only if you gave one." }),
  ),
  created_at: timestamp(),
};

export const PublishedModel = named(
  "PublishedEvent",
  Type.Object({
    ...identity,
    deliveries: Type.Array(ref("AcceptedDelivery"), {
      description: "A delivery for each endpoint whose filter the event matches, oldest endpoint first.",
    }),
    held: Type.Array(Type.String(), {
      description: "The ids of the deliveries that wait because their endpoint is inactive.",
    }),
    skipped: Type.Array(Type.String(), {
      description:
        "The ids of the endpoints whose filter the event matches, and that get no delivery because they are inactive and skip " +
        "events.",
    }),
  }),
);

const deliveryCount = Type.Integer({
  description: "The number of deliveries that were accepted with the event.",
});

export const EventModel = named("Event", Type.Object({ ...identity, delivery_count: deliveryCount }));

export const EventPageModel = named("EventPage", cursorPageOf("Event"));

export const MissedModel = named(
  "MissedEvent",
  Type.Object({
    endpoint_id: Type.String(),
    reason: words("MissedReason", MISSED_REASONS, {
      description:
        "`event_filter`: the endpoint's `event_filter` excludes the event. `filter`: its `filter` excluded the payload, or could not judge it. `filter_changed`: it excluded the event then, and matches it " +
        "now. `inactive`: the endpoint was inactive and skips events. `created_later`: the endpoint was created after the event.",
    }),
  }),
);

export const MissedPageModel = named("MissedEventPage", cursorPageOf("MissedEvent"));

export const EventDeliveriesModel = named("EventDeliveries", cursorPageOf("Delivery"));

/** Most deliveries, and most endpoints without one, in an event's answer. */
export const PARTS_SHOWN = 100;
const more = (path: string) =>
  nullable(
    Type.String({
      description: `Null if these are all; else send it as \`cursor\` to \`GET /events/{id}/${path}\`.`,
    }),
  );

export const EventDetailModel = named(
  "EventDetail",
  Type.Object({
    ...identity,
    delivery_count: deliveryCount,
    deliveries: Type.Array(ref("Delivery"), {
      description: `The first ${PARTS_SHOWN}, the oldest endpoint's first.`,
    }),
    deliveries_cursor: more("deliveries"),
    missed: Type.Array(ref("MissedEvent"), {
      description: `The first ${PARTS_SHOWN} endpoints of the account without a delivery of the event, and why. Without endpoints with \`feed\`.`,
    }),
    missed_cursor: more("missed"),
    erased_at: Type.Optional(timestamp("When the payload was erased; present only if it was.")),
    data: Type.Unknown({ description: "The payload; null once it is erased (`erased_at`)." }),
  }),
);

type EventView = Static<typeof EventModel>;

export function viewOfEvent({ deliveryCount, ...event }: EventSummary): EventView {
  return { ...identityOf(event), delivery_count: deliveryCount };
}

function identityOf({ id, event, orderingKey, externalId }: Omit<EventSummary, "deliveryCount">) {
  return {
    id: toText("evt", id),
    event,
    ...(orderingKey !== null && { ordering_key: orderingKey }),
    ...(externalId !== null && { event_id: externalId }),
    created_at: formatInstant(timeOf(id)),
  };
}

export function viewOfMissed({ endpointId, reason }: Missed): Static<typeof MissedModel> {
  return { endpoint_id: toText("ep", endpointId), reason };
}

/** Writes the full JSON text of an event. Keeps the payload's text as it was sent. */
export function eventJson(event: EventDetail, deliveries: Page, missed: Page): string {
  const json = JSON.stringify({
    ...viewOfEvent(event),
    deliveries: deliveries.data,
    deliveries_cursor: deliveries.cursor,
    missed: missed.data,
    missed_cursor: missed.cursor,
    ...(event.erasedAt !== null && { erased_at: formatInstant(event.erasedAt) }),
  });
  return `${json.slice(0, -1)},"data":${event.data}}`;
}

/** Writes the JSON text of an accepted event by hand, since it may have 10,000 deliveries. */
export function publishedJson(published: AcceptedEvent): string {
  const { deliveries, held, skipped } = published;
  const json = JSON.stringify({
    ...identityOf(published),
    held: held.map((delivery) => toText("wh", delivery)),
    skipped: skipped.map((endpoint) => toText("ep", endpoint)),
  });
  return `${json.slice(0, -1)},"deliveries":[${deliveries.map(acceptedJson).join(",")}]}`;
}

const { id: _, endpoint_id: __, status: ___, attempt_count: ____, ...shared } = ACCEPTED_EXAMPLE;
const IDENTITY_EXAMPLE = { id: "evt_01k9x3w7r2e5bt8m1n4p6r8000", event_id: "order-4711-created", ...shared };

export const EVENT_EXAMPLE = { ...IDENTITY_EXAMPLE, delivery_count: 1 } satisfies EventView;

export const EVENT_DETAIL_EXAMPLE = {
  ...EVENT_EXAMPLE,
  deliveries: [DELIVERY_EXAMPLE],
  deliveries_cursor: null,
  missed: [{ endpoint_id: "ep_01k9x3v5q8e7bt2m4n6p8r0s30", reason: "created_later" }],
  missed_cursor: null,
  data: DETAIL_EXAMPLE.data,
};

export const PUBLISHED_EXAMPLE = {
  ...IDENTITY_EXAMPLE,
  deliveries: [ACCEPTED_EXAMPLE],
  held: [],
  skipped: [],
};
