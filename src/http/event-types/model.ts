import { type Static, Type } from "@sinclair/typebox";
import type { EventType } from "../../event-types/event-type";
import { cursorPageOf } from "../lists/cursor-model";
import { formatInstant } from "../lists/instant";
import { named, nullable, request, timestamp } from "../openapi/schema";

const jsonSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: "A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents.",
});

export const PutSchema = request("NewSchema", Type.Object({ schema: jsonSchema }));

export const EventTypeModel = named(
  "EventType",
  Type.Object({
    event_type: Type.String(),
    schema: nullable(jsonSchema),
    created_at: timestamp("When the event type was first sent or got a schema."),
  }),
);

export const EventTypePage = named("EventTypePage", cursorPageOf("EventType"));

export type EventTypeView = Static<typeof EventTypeModel>;

/** Returns the API's form of an event type. */
export function viewOfEventType({ name, schema, createdAt }: EventType): EventTypeView {
  return { event_type: name, schema, created_at: formatInstant(createdAt) };
}

export const SCHEMA_EXAMPLE = {
  type: "object",
  required: ["order_id"],
  properties: { order_id: { type: "integer", minimum: 1 }, total: { type: "string" } },
};

export const EVENT_TYPE_EXAMPLE = {
  event_type: "order.created",
  schema: SCHEMA_EXAMPLE,
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies EventTypeView;
