import { type Static, Type } from "@sinclair/typebox";
import { named, ref, request, words } from "../../api/openapi/schema";
import { YAML_LIMITS } from "../../event-types/catalogue/yaml";

export const ImportCatalogue = request(
  "CatalogueImport",
  Type.Object({
    document: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "An OpenAPI 3 document with `webhooks`, `x-webhooks` or callbacks, or an AsyncAPI 2 or 3 document, as JSON.",
      }),
    ),
    yaml: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: YAML_LIMITS.characters,
        description: "Such a document as a text in YAML 1.2 with merge keys, in place of `document`.",
      }),
    ),
  }),
);

export const ImportedType = named(
  "ImportedEventType",
  Type.Object({
    event_type: Type.String(),
    outcome: words("ImportOutcome", ["imported", "refused"]),
    problem: Type.Optional(Type.String({ description: "The reason of the refusal." })),
    warnings: Type.Array(Type.String()),
  }),
);

export const ImportResult = named(
  "CatalogueImportResult",
  Type.Object({
    imported: Type.Integer(),
    refused: Type.Integer(),
    data: Type.Array(ref("ImportedEventType"), { description: "In the order of the document." }),
  }),
);

export type ImportedTypeView = Static<typeof ImportedType>;

export const DocumentModel = named(
  "CatalogueDocument",
  Type.Record(Type.String(), Type.Unknown(), { description: "The document." }),
);

export const DOCUMENT_EXAMPLE = {
  openapi: "3.1.0",
  info: { title: "Event types", version: "1" },
  webhooks: {
    "order.created": {
      post: {
        description: "A customer has placed an order.",
        tags: ["Orders"],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { required: ["order_id"] }, example: { order_id: 4711 } },
          },
        },
        responses: { "2XX": { description: "The webhook is delivered." } },
      },
    },
  },
};
