import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer, answerText } from "../../api/answer";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import { notFound } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { pageLimit } from "../../api/lists/page-limit";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { INSTALLATION } from "../../domain/ids";
import {
  ChangedSchema,
  EVENT_TYPE_EXAMPLE,
  EventTypeModel,
  EventTypePage,
  eventTypeJson,
  eventTypePageJson,
  PutEventType,
  SCHEMA_EXAMPLE,
} from "./event-type";
import { checkedName, possibleName } from "./name-in-path";
import {
  changesIn,
  type EventTypeOptions,
  NO_SUCH_SCHEMA,
  NO_SUCH_TYPE,
  orRefuse,
  path,
  schemaBody,
} from "./routes";
import { warningsOf } from "./schema-check";

const tag = "Administration";
const EXAMPLE = { ...EVENT_TYPE_EXAMPLE, source: "installation" } as const;
const ONE = {
  status: 200,
  description: "The event type.",
  schema: EventTypeModel,
  example: EXAMPLE,
} as const;

/** /admin/event-types */
export function installationTypeRoutes(
  guard: Guard,
  { eventTypes, cursors, clock }: Pick<EventTypeOptions, "eventTypes" | "cursors" | "clock">,
) {
  return new Elysia({ prefix: "/admin/event-types" })
    .use(guard)
    .get(
      "",
      async ({ call: { allowance }, request }) => {
        const positions = cursors.of<string>("event-types", INSTALLATION);
        const query = new Query(request.url, ["limit", "cursor"]);
        const limit = pageLimit(query.count("limit"));
        const beyond = positions.readCursor(query.text("cursor"));
        const { data, next } = await eventTypes.page(INSTALLATION, { limit, beyond });
        return answerText(allowance, 200, eventTypePageJson(data, next && positions.write(next)));
      },
      operation({
        id: "listInstallationEventTypes",
        permission: "admin",
        cells: "one",
        tag,
        summary: "List the installation's event types",
        description: "The event types that every account sees, newest first.",
        query: Type.Object(CURSOR_PARAMETERS),
        success: {
          status: 200,
          description: "A page.",
          schema: EventTypePage,
          example: { data: [EXAMPLE], cursor: null },
        },
      }),
    )
    .get(
      "/:name",
      async ({ call: { allowance }, request, params }) => {
        const name = possibleName({ request, params });
        const type = name === null ? null : await eventTypes.get(INSTALLATION, name);
        if (type === null) throw notFound(NO_SUCH_TYPE);
        return answerText(allowance, 200, eventTypeJson(type));
      },
      operation({
        id: "getInstallationEventType",
        permission: "admin",
        cells: "one",
        tag,
        summary: "Get an event type of the installation",
        path,
        success: ONE,
        errors: [404],
      }),
    )
    .put(
      "/:name",
      async ({ call, request, params, body }) => {
        const changes = changesIn(body, call.body.text);
        const name = checkedName({ request, params });
        const type = await orRefuse(eventTypes.describe(INSTALLATION, name, changes));
        return answerText(call.allowance, 200, eventTypeJson(type));
      },
      operation({
        id: "putInstallationEventType",
        permission: "admin",
        cells: "one",
        audit: { shows: ["description"] },
        tag,
        summary: "Describe an event type for all accounts",
        description:
          "Every account and portal sees the description. A field that an account sets itself wins over it. Absent fields stay " +
          "unchanged; null removes a field.",
        path,
        body: {
          schema: PutEventType,
          untouched: ["example"],
          example: { description: EXAMPLE.description, group: EXAMPLE.group, example: EXAMPLE.example },
        },
        success: ONE,
      }),
    )
    .put(
      "/:name/schema",
      async ({ call, request, params }) => {
        const name = checkedName({ request, params });
        const schema = call.body.exactly("schema");
        const tried = await orRefuse(eventTypes.trySchema(INSTALLATION, name, schema, clock.now()));
        const type = await orRefuse(eventTypes.storeSchema(INSTALLATION, name, tried.schema));
        return answerText(call.allowance, 200, eventTypeJson(type, { warnings: warningsOf(tried) }));
      },
      operation({
        id: "putInstallationSchema",
        permission: "admin",
        cells: "one",
        audit: { shows: [] },
        tag,
        summary: "Set an event type's schema for all accounts",
        description:
          "Webhooks of this type, of any account, are then refused with 400 unless their `data` matches the schema. A schema that an " +
          "account sets itself wins. All processes of the service apply it within two seconds. No kept payloads are tried.",
        path,
        body: schemaBody,
        success: {
          ...ONE,
          schema: ChangedSchema,
          example: { ...EXAMPLE, schema: SCHEMA_EXAMPLE, warnings: [] },
        },
      }),
    )
    .delete(
      "/:name/schema",
      async ({ call: { allowance }, request, params }) => {
        const name = possibleName({ request, params });
        const isDeleted = name !== null && (await eventTypes.deleteSchema(INSTALLATION, name));
        if (!isDeleted) throw notFound(NO_SUCH_SCHEMA);
        return answer(allowance, 200, DELETED);
      },
      operation({
        id: "deleteInstallationSchema",
        permission: "admin",
        cells: "one",
        audit: { shows: [] },
        tag,
        summary: "Remove an event type's schema for all accounts",
        description: "All processes of the service stop applying it within two seconds.",
        path,
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}
