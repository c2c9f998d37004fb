import { Type } from "@sinclair/typebox";
import { EVENT_MAX_LENGTH } from "../../event-types/event-name";
import { MAX_PATTERNS_SIZE } from "../../event-types/schema/patterns";
import { MAX_SCHEMA_WEIGHT } from "../../event-types/schema/schema-compiler";
import {
  MAX_REPEATED_NODES,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_DEPTH,
  MAX_SCHEMA_NODES,
} from "../../event-types/schema/schema-limits";
import { PLAIN_PATTERN } from "../../runtime/plain-text";
import { DELETED_ANSWER } from "../deletion";
import { CURSOR_PARAMETERS } from "../lists/cursor-model";
import { operation } from "../openapi/operation";
import { ref, written } from "../openapi/schema";
import { EVENT_TYPE_EXAMPLE, PutSchema, SCHEMA_EXAMPLE } from "./model";

const tag = "Event types";
const path = {
  name: {
    description: "The event type, percent-encoded.",
    example: EVENT_TYPE_EXAMPLE.event_type,
    schema: { minLength: 1, maxLength: EVENT_MAX_LENGTH, pattern: PLAIN_PATTERN },
  },
};
const eventType = { schema: ref("EventType"), example: EVENT_TYPE_EXAMPLE };

export const list = operation("GET", {
  id: "listEventTypes",
  permission: "webhooks:read",
  tag,
  summary: "List event types",
  description: "Those the account has sent and those that have a schema, newest first.",
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("EventTypePage"),
    example: { data: [EVENT_TYPE_EXAMPLE], cursor: null },
  },
});

export const get = operation("GET", {
  id: "getEventType",
  permission: "webhooks:read",
  tag,
  summary: "Get an event type",
  path,
  success: { status: 200, description: "The event type.", ...eventType },
  errors: [404],
});

export const putSchema = operation("PUT", {
  id: "putEventTypeSchema",
  permission: "event-types:write",
  tag,
  summary: "Set an event type's schema",
  description:
    "From now on a webhook of this type whose `data` does not match is refused with 400; where several processes serve the " +
    "API, by each of them within two seconds. The event type need not have been used before. Patterns support neither " +
    `look-around nor back-references. A schema that is too costly to check payloads against is refused with 400: more than ${written(MAX_SCHEMA_BYTES)} bytes, ${MAX_SCHEMA_DEPTH} ` +
    `schemas within each other, ${written(MAX_SCHEMA_NODES)} values with what they refer to ` +
    `(${written(MAX_REPEATED_NODES)} for each item or property), patterns that take more than ` +
    `${written(MAX_PATTERNS_SIZE)} instructions together, or ${MAX_SCHEMA_WEIGHT / 1_048_576} MiB when it is compiled.`,
  path,
  body: { schema: PutSchema, example: { schema: SCHEMA_EXAMPLE } },
  success: { status: 200, description: "The event type.", ...eventType },
});

export const deleteSchema = operation("DELETE", {
  id: "deleteEventTypeSchema",
  permission: "event-types:write",
  tag,
  summary: "Remove an event type's schema",
  description: "Takes effect everywhere within two seconds.",
  path,
  success: DELETED_ANSWER,
  errors: [404],
});
