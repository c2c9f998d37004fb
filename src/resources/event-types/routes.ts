import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { LimitReached } from "../../accounts/limit";
import { answer, answerText } from "../../api/answer";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import { badRequest, forbidden, notFound } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { MAX_DEPTH } from "../../api/json/json-text";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import type { Cursors } from "../../api/lists/cursors";
import { pageLimit } from "../../api/lists/page-limit";
import { Query } from "../../api/lists/query";
import { operation } from "../../api/openapi/operation";
import { written } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import { rawField } from "../../client/raw-field";
import { EVENT_MAX_LENGTH } from "../../domain/names";
import type { Endpoints } from "../../endpoints/endpoint";
import { type Description, descriptionProblem } from "../../event-types/description";
import { type EventTypes, InvalidSchema } from "../../event-types/event-type";
import { DESCRIBED, PAGE_BYTES } from "../../event-types/event-type-limits";
import { MAX_SAMPLE } from "../../event-types/sample";
import { MAX_SCHEMA_DEPTH } from "../../event-types/schema/enforcement";
import { MAX_PATTERNS_SIZE } from "../../event-types/schema/patterns";
import { MAX_SCHEMA_WEIGHT } from "../../event-types/schema/schema-compiler";
import {
  MAX_REPEATED_NODES,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_NODES,
} from "../../event-types/schema/schema-limits";
import type { Clock } from "../../runtime/clock";
import { PLAIN_PATTERN } from "../../runtime/text/plain-text";
import {
  ChangedSchema,
  EVENT_TYPE_EXAMPLE,
  EventTypeModel,
  EventTypePage,
  eventTypeJson,
  eventTypePageJson,
  PutEventType,
  PutSchema,
  SCHEMA_EXAMPLE,
  SchemaVersionList,
  versionJson,
} from "./event-type";
import { checkedName, possibleName } from "./name-in-path";
import { CHECK_EXAMPLE, SchemaCheck, viewOfCheck, warningsOf } from "./schema-check";
import { shownTo } from "./shown-types";
import {
  answerTypeCode,
  CODE_PARAMETERS,
  TYPE_CODE_EXAMPLE,
  TypeCode,
  type TypeCoding,
  WRITTEN_CODE_PER_MINUTE,
} from "./type-code";

export type EventTypeOptions = Readonly<{
  eventTypes: EventTypes;
  cursors: Cursors;
  posting: Posting;
  clock: Pick<Clock, "now">;
  endpoints: Pick<Endpoints, "some">;
}> &
  TypeCoding;

const tag = "Event types";
const portal = { needs: "view", concerns: "itself" } as const;
export const path = {
  name: {
    description: "The event type, percent-encoded.",
    example: EVENT_TYPE_EXAMPLE.event_type,
    schema: { minLength: 1, maxLength: EVENT_MAX_LENGTH, pattern: PLAIN_PATTERN },
  },
};
const ONE = {
  status: 200,
  description: "The event type.",
  schema: EventTypeModel,
  example: EVENT_TYPE_EXAMPLE,
} as const;
export const NO_SUCH_TYPE = "There is no such event type";
export const NO_SUCH_SCHEMA = "This event type has no schema";
// Does not check the texts within a schema, such as descriptions.
export const schemaBody = { schema: PutSchema, untouched: ["schema"], example: { schema: SCHEMA_EXAMPLE } };

/** /event-types */
export function eventTypeRoutes(guard: Guard, options: EventTypeOptions) {
  const { eventTypes, cursors, posting, clock, endpoints } = options;
  return new Elysia({ prefix: "/event-types" })
    .use(guard)
    .get(
      "",
      async ({ call: { principal, allowance }, request }) => {
        const positions = cursors.of<string>("event-types", principal.accountId);
        const query = new Query(request.url, ["limit", "cursor"]);
        const asked = {
          limit: pageLimit(query.count("limit")),
          beyond: positions.readCursor(query.text("cursor")),
        };
        const isShown = await shownTo(principal, endpoints);
        const { data, next } = await eventTypes.page(principal.accountId, asked);
        const shown = data.filter(({ name }) => isShown(name));
        return answerText(allowance, 200, eventTypePageJson(shown, next && positions.write(next)));
      },
      operation({
        id: "listEventTypes",
        permission: "webhooks:read",
        portal,
        tag,
        summary: "List event types",
        description:
          "The event types that the account has sent or described, and those of the installation, newest first. A page ends early where its schemas and " +
          `examples reach ${written(PAGE_BYTES)} bytes; \`cursor\` continues.`,
        query: Type.Object(CURSOR_PARAMETERS),
        success: {
          status: 200,
          description: "A page.",
          schema: EventTypePage,
          example: { data: [EVENT_TYPE_EXAMPLE], cursor: null },
        },
      }),
    )
    .get(
      "/:name",
      async ({ call: { principal, allowance }, request, params }) => {
        const name = possibleName({ request, params });
        const type = name === null ? null : await eventTypes.get(principal.accountId, name);
        if (type === null || !(await shownTo(principal, endpoints))(type.name)) throw notFound(NO_SUCH_TYPE);
        return answerText(allowance, 200, eventTypeJson(type));
      },
      operation({
        id: "getEventType",
        permission: "webhooks:read",
        portal,
        tag,
        summary: "Get an event type",
        path,
        success: ONE,
        errors: [404],
      }),
    )
    .get(
      "/:name/code",
      async ({ call, request, params }) => {
        const name = possibleName({ request, params });
        const type = name === null ? null : await eventTypes.get(call.principal.accountId, name);
        if (type === null || !(await shownTo(call.principal, endpoints))(type.name))
          throw notFound(NO_SUCH_TYPE);
        return answerTypeCode(options, call, request, type);
      },
      operation({
        id: "getEventTypeCode",
        permission: "webhooks:read",
        portal,
        tag,
        summary: "Write types for an event type's payload",
        description:
          "Returns source code with a type for the payload, from the event type's schema or else from its example. An account may " +
          `have ${WRITTEN_CODE_PER_MINUTE} written a minute, beside those that the service still has.`,
        path,
        query: Type.Object(CODE_PARAMETERS),
        success: { status: 200, description: "The code.", schema: TypeCode, example: TYPE_CODE_EXAMPLE },
        errors: [404],
      }),
    )
    .put(
      "/:name",
      async ({ call, request, params, body }) => {
        const changes = changesIn(body, call.body.text);
        const name = checkedName({ request, params });
        const type = await orRefuse(eventTypes.describe(call.principal.accountId, name, changes));
        return answerText(call.allowance, 200, eventTypeJson(type));
      },
      operation({
        id: "putEventType",
        permission: "event-types:write",
        audit: { shows: ["description"] },
        tag,
        summary: "Describe an event type",
        description:
          "Sets the event type's description, for people and for tests. It wins over the installation's. Absent fields stay unchanged; null removes a field. " +
          `The event type need not exist yet. At most ${written(DESCRIBED.most)} described event types per account; one more gets a 403.`,
        path,
        body: {
          schema: PutEventType,
          untouched: ["example"],
          example: {
            description: EVENT_TYPE_EXAMPLE.description,
            group: EVENT_TYPE_EXAMPLE.group,
            example: EVENT_TYPE_EXAMPLE.example,
          },
        },
        success: ONE,
      }),
    )
    .get(
      "/:name/schema/versions",
      async ({ call: { principal, allowance }, request, params }) => {
        const { accountId } = principal;
        const name = possibleName({ request, params });
        const type = name === null ? null : await eventTypes.get(accountId, name);
        if (type === null) throw notFound(NO_SUCH_TYPE);
        const versions = await eventTypes.versions(accountId, type.name);
        return answerText(allowance, 200, `{"data":[${versions.map(versionJson).join(",")}]}`);
      },
      operation({
        id: "listSchemaVersions",
        permission: "webhooks:read",
        tag,
        summary: "List the versions of an event type's schema",
        path,
        success: {
          status: 200,
          description: "The versions.",
          schema: SchemaVersionList,
          example: { data: [{ version: 1, schema: SCHEMA_EXAMPLE, created_at: "2026-01-31T12:00:00.000Z" }] },
        },
        errors: [404],
      }),
    )
    .post(
      "/:name/schema/check",
      ({ call, request, params }) =>
        posting.handleApart(call, request, async () => {
          const name = checkedName({ request, params });
          const { accountId } = call.principal;
          const schema = call.body.exactly("schema");
          const tried = await orRefuse(eventTypes.trySchema(accountId, name, schema, clock.now()));
          return { status: 200, json: JSON.stringify(viewOfCheck(tried)) };
        }),
      operation({
        id: "checkEventTypeSchema",
        permission: "webhooks:read",
        audit: { shows: [] },
        tag,
        summary: "Try a schema on kept payloads",
        description:
          "Lists the newest payloads of this type, of the last day, that the schema would have refused. Changes nothing. Setting a schema " +
          `checks the same payloads and warns of refusals. Reads at most ${MAX_SAMPLE}.`,
        path,
        body: schemaBody,
        success: {
          status: 200,
          description: "The number of payloads that were read, and the refused ones.",
          schema: SchemaCheck,
          example: CHECK_EXAMPLE,
        },
      }),
    )
    .put(
      "/:name/schema",
      async ({ call, request, params }) => {
        const { accountId } = call.principal;
        const name = checkedName({ request, params });
        const schema = call.body.exactly("schema");
        const tried = await orRefuse(eventTypes.trySchema(accountId, name, schema, clock.now()));
        const type = await orRefuse(eventTypes.storeSchema(accountId, name, tried.schema));
        return answerText(call.allowance, 200, eventTypeJson(type, { warnings: warningsOf(tried) }));
      },
      operation({
        id: "putEventTypeSchema",
        permission: "event-types:write",
        audit: { shows: [] },
        tag,
        summary: "Set an event type's schema",
        description:
          "Webhooks of this type are then refused with 400 unless their `data` matches the schema. All processes of the service apply " +
          "it within two seconds. The event type need not exist yet.\n\n" +
          "What can't be checked is kept, is not applied, and is named in `warnings`: unknown keywords and formats, references out of the " +
          "schema or to a part that contains them, patterns with look-around or back-references, and deep parts of a schema that is too " +
          "expensive to check whole. No payload is refused for it. A schema with a mistake is refused with 400.\n\n" +
          "Numbers are compared by all their digits, and answers and exports have them as they were written.\n\n" +
          `The limits: ${written(MAX_SCHEMA_BYTES)} bytes; what is checked has ${MAX_SCHEMA_DEPTH} levels of nested schemas; ` +
          `${written(MAX_SCHEMA_NODES)} values, with \`$ref\` expanded (${written(MAX_REPEATED_NODES)} for each item or property); ` +
          `${written(MAX_PATTERNS_SIZE)} instructions for all patterns together; ${MAX_SCHEMA_WEIGHT / 1_048_576} MiB when compiled.`,
        path,
        body: schemaBody,
        success: { ...ONE, schema: ChangedSchema, example: { ...EVENT_TYPE_EXAMPLE, warnings: [] } },
      }),
    )
    .delete(
      "/:name/schema",
      async ({ call: { principal, allowance }, request, params }) => {
        const name = possibleName({ request, params });
        const isDeleted = name !== null && (await eventTypes.deleteSchema(principal.accountId, name));
        if (!isDeleted) throw notFound(NO_SUCH_SCHEMA);
        return answer(allowance, 200, DELETED);
      },
      operation({
        id: "deleteEventTypeSchema",
        permission: "event-types:write",
        audit: { shows: [] },
        tag,
        summary: "Remove an event type's schema",
        description: "All processes of the service stop applying it within two seconds.",
        path,
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

/** Returns the changes of a description, with the example's text byte for byte. Throws 400. */
export function changesIn(
  { example: _, deprecated, ...fields }: Static<typeof PutEventType>,
  text: string,
): Partial<Description> {
  return {
    ...fields,
    ...(deprecated !== undefined && { deprecated: deprecated ?? false }),
    ...exampleIn(text),
  };
}

function exampleIn(json: string): { example?: string | null } {
  const raw = rawField(json, "example");
  if (raw === null) return {};
  const problem = descriptionProblem({ example: raw.text });
  if (problem) throw badRequest(problem);
  if (raw.depth > MAX_DEPTH) throw badRequest(`example is nested deeper than ${MAX_DEPTH} levels`);
  return { example: raw.text === "null" ? null : raw.text };
}

export async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidSchema) throw badRequest(`schema ${error.problem}`);
    if (error instanceof LimitReached) throw forbidden(error.message);
    throw error;
  }
}
