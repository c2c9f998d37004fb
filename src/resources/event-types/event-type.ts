import { type Static, Type } from "@sinclair/typebox";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant } from "../../api/lists/instant";
import {
  lines,
  named,
  nullable,
  optional,
  ref,
  request,
  text,
  timestamp,
  words,
  written,
} from "../../api/openapi/schema";
import { DESCRIPTION_LIMITS } from "../../event-types/description";
import type { SchemaVersion } from "../../event-types/event-type";
import { MAX_VERSIONS } from "../../event-types/event-type-limits";
import type { EventType } from "../../event-types/visible-types";

const jsonSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: "A JSON Schema, draft 2020-12 or draft 7. It can't refer to other documents.",
});

export const PutSchema = request("CreateSchema", Type.Object({ schema: jsonSchema }));

const example = Type.Unknown({
  description: `A payload, at most ${written(DESCRIPTION_LIMITS.exampleBytes)} bytes. Tests send it. Null: none.`,
});

export const PutEventType = request(
  "EventTypeDescription",
  Type.Object({
    description: Type.Optional(nullable(lines({ maxLength: DESCRIPTION_LIMITS.description }))),
    group: Type.Optional(
      nullable(
        text({
          minLength: 1,
          maxLength: DESCRIPTION_LIMITS.group,
          description: "A group for lists, such as `Orders`.",
        }),
      ),
    ),
    example: Type.Optional(example),
    deprecated: optional(
      Type.Boolean({ description: "True if receivers should no longer use it. Null: false." }),
    ),
  }),
);

const eventType = {
  event_type: Type.String(),
  description: nullable(Type.String()),
  group: nullable(Type.String()),
  example,
  deprecated: Type.Boolean(),
  schema: nullable(jsonSchema),
  schema_version: Type.Integer({
    description: "The number of changes of the schema; 0 if it never had one.",
  }),
  created_at: timestamp("When the event type was first sent or described."),
  source: words("EventTypeSource", ["installation", "account"], {
    description:
      "`account`: the account has described it, or only sent it. `installation`: the description and schema are those for all accounts.",
  }),
};

export const EventTypeModel = named("EventType", Type.Object(eventType));

export const ChangedSchema = named(
  "EventTypeWithSchema",
  Type.Object({
    ...eventType,
    warnings: Type.Array(Type.String(), {
      description:
        "The parts of the schema that are not checked, and the number of the newest payloads of the last day that the schema would " +
        "have refused; empty if none.",
    }),
  }),
);

export const SchemaVersionModel = named(
  "SchemaVersion",
  Type.Object({
    version: Type.Integer({ description: "Counts from 1." }),
    schema: nullable(jsonSchema),
    created_at: timestamp(),
  }),
);

export const SchemaVersionList = named(
  "SchemaVersionList",
  Type.Object({
    data: Type.Array(ref("SchemaVersion"), {
      description: `The latest ${MAX_VERSIONS}, the newest first. The schema is null where it was removed.`,
    }),
  }),
);

export const EventTypePage = named("EventTypePage", cursorPageOf("EventType"));

export type EventTypeView = Static<typeof EventTypeModel>;

/** Writes the API's form of an event type, with more fields. Its example and schema are as they were given. */
export function eventTypeJson(
  type: EventType,
  more: Readonly<{ warnings?: readonly string[] }> = {},
): string {
  const json = JSON.stringify({ ...viewOfEventType(type), ...more });
  return `${json.slice(0, -1)},"example":${type.example},"schema":${type.schema}}`;
}

export function eventTypePageJson(types: readonly EventType[], cursor: string | null): string {
  return `{"data":[${types.map((type) => eventTypeJson(type)).join(",")}],"cursor":${JSON.stringify(cursor)}}`;
}

function viewOfEventType(type: EventType): Omit<EventTypeView, "example" | "schema"> {
  const { name, description, group, deprecated, schemaVersion, createdAt, source } = type;
  return {
    event_type: name,
    description,
    group,
    deprecated,
    schema_version: schemaVersion,
    created_at: formatInstant(createdAt),
    source,
  };
}

export function versionJson({ version, schema, createdAt }: SchemaVersion): string {
  const json = JSON.stringify({ version, created_at: formatInstant(createdAt) });
  return `${json.slice(0, -1)},"schema":${schema}}`;
}

export const SCHEMA_EXAMPLE = {
  type: "object",
  required: ["order_id"],
  properties: { order_id: { type: "integer", minimum: 1 }, total: { type: "string" } },
};

export const EVENT_TYPE_EXAMPLE = {
  event_type: "order.created",
  description: "A customer has placed an order.",
  group: "Orders",
  example: { order_id: 4711, total: "99.90" },
  deprecated: false,
  schema: SCHEMA_EXAMPLE,
  schema_version: 1,
  created_at: "2026-01-31T12:00:00.000Z",
  source: "account",
} satisfies EventTypeView;
