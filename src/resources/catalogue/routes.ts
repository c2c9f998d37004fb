import { Elysia } from "elysia";
import { badRequest } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { FREE } from "../../api/json/json-text";
import { RequestBody } from "../../api/json/request-body";
import { operation } from "../../api/openapi/operation";
import { written } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import { type AccountId, INSTALLATION } from "../../domain/ids";
import { asyncApiText, readAsyncApi } from "../../event-types/catalogue/asyncapi";
import { MAX_RESOLVED_BYTES, objectIn } from "../../event-types/catalogue/document";
import { MAX_IMPORTED, NoCatalogue, type ReadEntry } from "../../event-types/catalogue/entry";
import { openApiText, readOpenApi } from "../../event-types/catalogue/openapi";
import { YAML_LIMITS } from "../../event-types/catalogue/yaml";
import type { EventTypes } from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import { DOCUMENT_EXAMPLE, DocumentModel, ImportCatalogue, ImportResult } from "./catalogue";
import { answerExport } from "./exporting";
import { Importing } from "./importing";

export type CatalogueOptions = Readonly<{ eventTypes: EventTypes; posting: Posting; clock: Clock }>;

const tag = "Event types";
const DOCUMENT = { status: 200, description: "The document.", schema: DocumentModel } as const;

const IMPORT = {
  body: { schema: ImportCatalogue, untouched: ["document", "yaml"], example: { document: DOCUMENT_EXAMPLE } },
  success: {
    status: 200 as const,
    description: "The result for each event type.",
    schema: ImportResult,
    example: {
      imported: 1,
      refused: 0,
      data: [{ event_type: "order.created", outcome: "imported", warnings: [] }],
    },
  },
};

/** /catalogue */
export function catalogueRoutes(guard: Guard, options: CatalogueOptions) {
  const { eventTypes, posting } = options;
  return new Elysia({ prefix: "/catalogue" })
    .use(guard)
    .get(
      "/openapi",
      ({ call }) => answerExport(eventTypes, call, openApiText),
      operation({
        id: "exportOpenApi",
        permission: "webhooks:read",
        tag,
        summary: "Export the catalogue as OpenAPI",
        description:
          "The event types with a description, group, example or schema, as the `webhooks` of an OpenAPI 3.1 document.",
        success: { ...DOCUMENT, example: DOCUMENT_EXAMPLE },
      }),
    )
    .get(
      "/asyncapi",
      ({ call }) => answerExport(eventTypes, call, asyncApiText),
      operation({
        id: "exportAsyncApi",
        permission: "webhooks:read",
        tag,
        summary: "Export the catalogue as AsyncAPI",
        description: "The same event types, as the messages of an AsyncAPI 3 document.",
        success: {
          ...DOCUMENT,
          example: { asyncapi: "3.0.0", info: { title: "Event types", version: "1" } },
        },
      }),
    )
    .post(
      "/import",
      ({ call, request }) =>
        posting.handleApart(call, request, () => imported(options, call.principal.accountId, call.body)),
      operation({
        id: "importCatalogue",
        permission: "event-types:write",
        audit: { shows: [] },
        tag,
        summary: "Import event types from a document",
        description:
          "Reads the `webhooks`, `x-webhooks` and callbacks of an OpenAPI 3 document, or the messages of an AsyncAPI 2 or 3 document, and describes an event type by each: " +
          "description, group (the first tag), example, deprecated, and schema, including the targets of its references. Fields that the " +
          "document does not have stay unchanged, and so do other event types. An event type that can't be read is refused by itself; a document without any is a 400. " +
          `At most ${MAX_IMPORTED} event types, and ${written(MAX_RESOLVED_BYTES)} bytes of schemas and examples together, with the targets of ` +
          "references: event types beyond that are refused, and fit in another document. " +
          `A document in YAML has at most ${written(YAML_LIMITS.characters)} characters and ${written(YAML_LIMITS.aliases)} aliases.`,
        ...IMPORT,
      }),
    );
}

/** /admin/catalogue */
export function installationCatalogueRoutes(guard: Guard, options: CatalogueOptions) {
  return new Elysia({ prefix: "/admin/catalogue" }).use(guard).post(
    "/import",
    ({ call, request }) =>
      options.posting.handleApart(call, request, () => imported(options, INSTALLATION, call.body)),
    operation({
      id: "importInstallationCatalogue",
      permission: "admin",
      cells: "one",
      audit: { shows: [] },
      tag: "Administration",
      summary: "Import event types for all accounts from a document",
      description:
        "Reads a document like `POST /catalogue/import`. Every account and portal sees its event types.",
      ...IMPORT,
    }),
  );
}

async function imported(options: CatalogueOptions, owner: AccountId, body: RequestBody) {
  const data = await new Importing(options, owner).import(await entriesOf(options, owner, body));
  const imported = data.filter(({ outcome }) => outcome === "imported").length;
  return { status: 200, json: JSON.stringify({ imported, refused: data.length - imported, data }) };
}

async function entriesOf(
  { eventTypes }: CatalogueOptions,
  owner: AccountId,
  body: RequestBody,
): Promise<Iterable<ReadEntry>> {
  const { document, yaml } = body.object;
  if ((document === undefined) === (yaml === undefined))
    throw badRequest("Give the document either as JSON in document, or as a text in yaml");
  // Lets other requests run, since reading the document takes about 30 ms twice.
  await new Promise(setImmediate);
  if (document !== undefined) return entriesIn("document", body.exactly("document"));
  const read = await eventTypes.readYaml(owner, String(yaml));
  if ("problem" in read) throw badRequest(`yaml ${read.problem}`);
  // The JSON that the text stands for has the bounds of a body.
  return entriesIn("yaml", RequestBody.part(`{"yaml":${read.json}}`, FREE).exactly("yaml"));
}

function entriesIn(field: string, value: unknown): Iterable<ReadEntry> {
  const document = objectIn(value);
  try {
    return "asyncapi" in document ? readAsyncApi(document) : readOpenApi(document);
  } catch (error) {
    throw error instanceof NoCatalogue ? badRequest(`${field}.${error.message}`) : error;
  }
}
