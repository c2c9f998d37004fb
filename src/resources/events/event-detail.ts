import { type Static, Type } from "@sinclair/typebox";
import { cursorPageOf } from "../../api/lists/cursor-model";
import type { ListPage } from "../../api/lists/cursor-page";
import { formatInstant } from "../../api/lists/instant";
import { named, nullable, timestamp, words } from "../../api/openapi/schema";
import { toText } from "../../domain/ids";
import { type EventDetail, MISSED_REASONS, type Missed } from "../../events/event";
import { DELIVERY_EXAMPLE, DeliveryModel } from "../webhooks/delivery";
import { DETAIL_EXAMPLE } from "../webhooks/delivery-detail";
import { deliveryCount, EVENT_EXAMPLE, identity, viewOfEvent } from "./event";

const MissedModel = named(
  "MissedEvent",
  Type.Object({
    endpoint_id: Type.String(),
    reason: words("MissedReason", MISSED_REASONS, {
      description:
        "`event_filter`: the endpoint's `event_filter` excludes the event. `filter`: its `filter` excluded the payload, or could not judge it. `filter_changed`: it excluded the event then, and matches it " +
        "now. `inactive`: the endpoint was inactive and skips events. `created_later`: the endpoint was created after the event.",
    }),
    error: Type.Optional(
      Type.String({ description: "The error of the endpoint's `filter`, as it is now, for this event." }),
    ),
  }),
);

export const MissedPage = named("MissedEventPage", cursorPageOf("MissedEvent"));

export const EventDeliveries = named("EventDeliveries", cursorPageOf("Delivery"));

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
    deliveries: Type.Array(DeliveryModel, {
      description: `The first ${PARTS_SHOWN}, the oldest endpoint's first.`,
    }),
    deliveries_cursor: more("deliveries"),
    missed: Type.Array(MissedModel, {
      description: `The first ${PARTS_SHOWN} endpoints of the account without a delivery of the event, and why. Without endpoints with \`feed\`.`,
    }),
    missed_cursor: more("missed"),
    erased_at: Type.Optional(timestamp("When the payload was erased; present only if it was.")),
    data: Type.Unknown({ description: "The payload; null once it is erased (`erased_at`)." }),
  }),
);

export type MissedWithError = Missed & Readonly<{ error: string | undefined }>;

export function viewOfMissed({ endpointId, reason, error }: MissedWithError): Static<typeof MissedModel> {
  return { endpoint_id: toText("ep", endpointId), reason, ...(error !== undefined && { error }) };
}

/** Writes the full JSON text of an event. Keeps the payload's text as it was sent. */
export function eventJson(event: EventDetail, deliveries: ListPage, missed: ListPage): string {
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

export const EVENT_DETAIL_EXAMPLE = {
  ...EVENT_EXAMPLE,
  deliveries: [DELIVERY_EXAMPLE],
  deliveries_cursor: null,
  missed: [{ endpoint_id: "ep_01k9x3v5q8e7bt2m4n6p8r0s30", reason: "created_later" }],
  missed_cursor: null,
  data: DETAIL_EXAMPLE.data,
};
