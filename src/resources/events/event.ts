import { type Static, Type } from "@sinclair/typebox";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant } from "../../api/lists/instant";
import { named, nullable, timestamp } from "../../api/openapi/schema";
import { timeOf, toText } from "../../domain/ids";
import type { EventSummary } from "../../events/event";
import { ACCEPTED_EXAMPLE } from "../webhooks/accepted";

/** The fields that all forms of an event have. */
export const identity = {
  id: Type.String({ description: "Begins with `evt_`." }),
  event: nullable(Type.String()),
  ordering_key: Type.Optional(Type.String({ description: "Present only if the sender gave one." })),
  event_id: Type.Optional(
    Type.String({ description: "Your own id of the event. Present only if you gave one." }),
  ),
  created_at: timestamp(),
};

export const deliveryCount = Type.Integer({
  description: "The number of deliveries that were accepted with the event.",
});

export const EventModel = named("Event", Type.Object({ ...identity, delivery_count: deliveryCount }));

export const EventPage = named("EventPage", cursorPageOf("Event"));

type EventView = Static<typeof EventModel>;

export function viewOfEvent({ deliveryCount, ...event }: EventSummary): EventView {
  return { ...identityOf(event), delivery_count: deliveryCount };
}

export function identityOf({ id, event, orderingKey, externalId }: Omit<EventSummary, "deliveryCount">) {
  return {
    id: toText("evt", id),
    event,
    ...(orderingKey !== null && { ordering_key: orderingKey }),
    ...(externalId !== null && { event_id: externalId }),
    created_at: formatInstant(timeOf(id)),
  };
}

const { id: _, endpoint_id: __, status: ___, attempt_count: ____, ...shared } = ACCEPTED_EXAMPLE;
export const IDENTITY_EXAMPLE = {
  id: "evt_01k9x3w7r2e5bt8m1n4p6r8000",
  event_id: "order-4711-created",
  ...shared,
};

export const EVENT_EXAMPLE = { ...IDENTITY_EXAMPLE, delivery_count: 1 } satisfies EventView;
