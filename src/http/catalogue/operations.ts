import { MAX_RESOLVED_BYTES } from "../../event-types/catalogue/document";
import { MAX_IMPORTED } from "../../event-types/catalogue/entry";
import { operation } from "../openapi/operation";
import { ref, written } from "../openapi/schema";
import { DOCUMENT_EXAMPLE, ImportCatalogue } from "./model";

const tag = "Event types";
const document = { schema: ref("CatalogueDocument"), example: DOCUMENT_EXAMPLE };

export const exportOpenApi = operation({
  id: "exportOpenApi",
  permission: "webhooks:read",
  tag,
  summary: "Export the catalogue as OpenAPI",
  description:
    "The event types with a description, group, example or schema, as the `webhooks` of an OpenAPI 3.1 document.",
  success: { status: 200, description: "The document.", ...document },
});

export const exportAsyncApi = operation({
  id: "exportAsyncApi",
  permission: "webhooks:read",
  tag,
  summary: "Export the catalogue as AsyncAPI",
  description: "The same event types, as the messages of an AsyncAPI 3 document.",
  success: {
    status: 200,
    description: "The document.",
    schema: ref("CatalogueDocument"),
    example: { asyncapi: "3.0.0", info: { title: "Event types", version: "1" } },
  },
});

export const importDocument = operation({
  audit: { shows: [] },
  id: "importCatalogue",
  permission: "event-types:write",
  tag,
  summary: "Import event types from a document",
  description:
    "Reads the `webhooks` of an OpenAPI 3.1 document, or the messages of an AsyncAPI 3 document, and describes an event type by each: " +
    "description, group (the first tag), example, deprecated, and schema, including the targets of its references. Fields that the " +
    "document does not have stay unchanged, and so do other event types. An event type that can't be read is refused by itself; a document without `webhooks`, or without channels and messages, is a 400. " +
    `At most ${MAX_IMPORTED} event types, and ${written(MAX_RESOLVED_BYTES)} bytes of schemas and examples together, with the targets of ` +
    "references: event types beyond that are refused, and fit in another document.",
  body: { schema: ImportCatalogue, isRaw: true, example: { document: DOCUMENT_EXAMPLE } },
  success: {
    status: 200,
    description: "The result for each event type.",
    schema: ref("CatalogueImportResult"),
    example: {
      imported: 1,
      refused: 0,
      data: [{ event_type: "order.created", outcome: "imported", warnings: [] }],
    },
  },
});
