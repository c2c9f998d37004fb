import { Type } from "@sinclair/typebox";
import { EVENT_MAX_LENGTH } from "../../domain/names";
import { DESCRIBED } from "../../event-types/event-type-limits";
import { MAX_SAMPLE } from "../../event-types/sample";
import { MAX_PATTERNS_SIZE } from "../../event-types/schema/patterns";
import { MAX_SCHEMA_WEIGHT } from "../../event-types/schema/schema-compiler";
import {
  MAX_REPEATED_NODES,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_DEPTH,
  MAX_SCHEMA_NODES,
} from "../../event-types/schema/schema-limits";
import { PLAIN_PATTERN } from "../../runtime/text/plain-text";
import { DELETED_ANSWER } from "../deletion";
import { CURSOR_PARAMETERS } from "../lists/cursor-model";
import { operation } from "../openapi/operation";
import { ref, written } from "../openapi/schema";
import { EVENT_TYPE_EXAMPLE, PutEventType, PutSchema, SCHEMA_EXAMPLE } from "./model";
import { CHECK_EXAMPLE } from "./schema-check";

const tag = "Event types";
const path = {
  name: {
    description: "The event type, percent-encoded.",
    example: EVENT_TYPE_EXAMPLE.event_type,
    schema: { minLength: 1, maxLength: EVENT_MAX_LENGTH, pattern: PLAIN_PATTERN },
  },
};
const eventType = { schema: ref("EventType"), example: EVENT_TYPE_EXAMPLE };

export const list = operation({
  id: "listEventTypes",
  permission: "webhooks:read",
  tag,
  summary: "List event types",
  description: "The event types that the account has sent or given a schema, newest first.",
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("EventTypePage"),
    example: { data: [EVENT_TYPE_EXAMPLE], cursor: null },
  },
});

export const get = operation({
  id: "getEventType",
  permission: "webhooks:read",
  tag,
  summary: "Get an event type",
  path,
  success: { status: 200, description: "The event type.", ...eventType },
  errors: [404],
});

export const put = operation({
  audit: { shows: ["description"] },
  id: "putEventType",
  permission: "event-types:write",
  tag,
  summary: "Describe an event type",
  description:
    "Sets the event type's description, for people and for tests. Absent fields stay unchanged; null removes a field. " +
    `The event type need not exist yet. At most ${written(DESCRIBED.most)} described event types per account; one more gets a 403.`,
  path,
  body: {
    schema: PutEventType,
    isRaw: true,
    example: {
      description: EVENT_TYPE_EXAMPLE.description,
      group: EVENT_TYPE_EXAMPLE.group,
      example: EVENT_TYPE_EXAMPLE.example,
    },
  },
  success: { status: 200, description: "The event type.", ...eventType },
});

export const putSchema = operation({
  audit: { shows: [] },
  id: "putEventTypeSchema",
  permission: "event-types:write",
  tag,
  summary: "Set an event type's schema",
  description:
    "Webhooks of this type are then refused with 400 unless their `data` matches the schema. All processes of the service apply " +
    "it within two seconds. The event type need not exist yet.\n\n" +
    "Patterns support neither look-around nor back-references. A schema that is too expensive to validate with is refused with 400. " +
    `The limits: ${written(MAX_SCHEMA_BYTES)} bytes; ${MAX_SCHEMA_DEPTH} levels of nested schemas; ` +
    `${written(MAX_SCHEMA_NODES)} values, with \`$ref\` expanded (${written(MAX_REPEATED_NODES)} for each item or property); ` +
    `${written(MAX_PATTERNS_SIZE)} instructions for all patterns together; ${MAX_SCHEMA_WEIGHT / 1_048_576} MiB when compiled.`,
  path,
  body: { schema: PutSchema, isRaw: true, example: { schema: SCHEMA_EXAMPLE } },
  success: {
    status: 200,
    description: "The event type.",
    schema: ref("EventTypeWithSchema"),
    example: { ...EVENT_TYPE_EXAMPLE, warnings: [] },
  },
});

export const checkSchema = operation({
  audit: { shows: [] },
  id: "checkEventTypeSchema",
  permission: "webhooks:read",
  tag,
  summary: "Try a schema on kept payloads",
  description:
    "Lists the newest payloads of this type, of the last day, that the schema would have refused. Changes nothing. Setting a schema " +
    `checks the same payloads and warns of refusals. Reads at most ${MAX_SAMPLE}.`,
  path,
  body: { schema: PutSchema, isRaw: true, example: { schema: SCHEMA_EXAMPLE } },
  success: {
    status: 200,
    description: "The number of payloads that were read, and the refused ones.",
    schema: ref("SchemaCheck"),
    example: CHECK_EXAMPLE,
  },
});

export const versions = operation({
  id: "listSchemaVersions",
  permission: "webhooks:read",
  tag,
  summary: "List the versions of an event type's schema",
  path,
  success: {
    status: 200,
    description: "The versions.",
    schema: ref("SchemaVersionList"),
    example: { data: [{ version: 1, schema: SCHEMA_EXAMPLE, created_at: "2026-01-31T12:00:00.000Z" }] },
  },
  errors: [404],
});

export const deleteSchema = operation({
  audit: { shows: [] },
  id: "deleteEventTypeSchema",
  permission: "event-types:write",
  tag,
  summary: "Remove an event type's schema",
  description: "All processes of the service stop applying it within two seconds.",
  path,
  success: DELETED_ANSWER,
  errors: [404],
});
