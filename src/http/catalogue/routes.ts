import { Elysia } from "elysia";
import { asyncApiText, readAsyncApi } from "../../event-types/catalogue/asyncapi";
import type { JsonObject } from "../../event-types/catalogue/document";
import { NoCatalogue, type ReadEntry } from "../../event-types/catalogue/entry";
import { openApiText, readOpenApi } from "../../event-types/catalogue/openapi";
import type { EventTypes } from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import { badRequest } from "../errors";
import type { Guard } from "../guard";
import { bodyReader } from "../json/json-body";
import type { Posting } from "../posting";
import { answerExport } from "./exporting";
import { Importing } from "./importing";
import { ImportCatalogue } from "./model";
import * as operations from "./operations";

type CatalogueOptions = Readonly<{ eventTypes: EventTypes; posting: Posting; clock: Clock }>;

const readImport = bodyReader(ImportCatalogue, { untouched: ["document"] });

/** /catalogue */
export function catalogueRoutes(guard: Guard, options: CatalogueOptions) {
  const { eventTypes, posting } = options;
  return new Elysia({ prefix: "/catalogue" })
    .use(guard)
    .get("/openapi", async ({ call }) => answerExport(eventTypes, call, openApiText), {
      ...operations.exportOpenApi,
    })
    .get("/asyncapi", async ({ call }) => answerExport(eventTypes, call, asyncApiText), {
      ...operations.exportAsyncApi,
    })
    .post(
      "/import",
      async ({ call, request }) =>
        posting.handleApart(call, request, async () => {
          const entries = entriesIn(readImport(call.body).document);
          const data = await new Importing(options, call.principal.accountId).import(entries);
          const imported = data.filter(({ outcome }) => outcome === "imported").length;
          const result = { imported, refused: data.length - imported, data };
          return { status: 200, json: JSON.stringify(result) };
        }),
      { ...operations.importDocument },
    );
}

function entriesIn(document: JsonObject): Iterable<ReadEntry> {
  try {
    return "asyncapi" in document ? readAsyncApi(document) : readOpenApi(document);
  } catch (error) {
    throw error instanceof NoCatalogue ? badRequest(`document.${error.message}`) : error;
  }
}
