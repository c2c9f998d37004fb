import { Elysia } from "elysia";
import { LimitReached } from "../../accounts/limit";
import type { AccountId } from "../../domain/ids";
import { eventProblem } from "../../domain/names";
import { asyncApiOf, readAsyncApi } from "../../event-types/catalogue/asyncapi";
import {
  type CatalogueEntry,
  MAX_IMPORTED,
  NoCatalogue,
  type ReadEntry,
} from "../../event-types/catalogue/entry";
import { openApiOf, readOpenApi } from "../../event-types/catalogue/openapi";
import type { JsonObject } from "../../event-types/catalogue/references";
import {
  type Description,
  descriptionProblem,
  type EventType,
  type EventTypes,
  InvalidSchema,
} from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import { answer } from "../answer";
import { badRequest } from "../errors";
import { warningsOf } from "../event-types/schema-check";
import type { Guard } from "../guard";
import { bodyReader } from "../json/json-body";
import type { Posting } from "../posting";
import { ImportCatalogue, type ImportedTypeView } from "./model";
import * as operations from "./operations";

type CatalogueOptions = Readonly<{ eventTypes: EventTypes; posting: Posting; clock: Clock }>;

const readImport = bodyReader(ImportCatalogue, { untouched: ["document"] });

/** /catalogue */
export function catalogueRoutes(guard: Guard, options: CatalogueOptions) {
  const { eventTypes, posting } = options;
  const entriesOf = async (accountId: AccountId) => (await eventTypes.described(accountId)).map(entryOf);
  return new Elysia({ prefix: "/catalogue" })
    .use(guard)
    .get(
      "/openapi",
      async ({ call }) => answer(call.allowance, 200, openApiOf(await entriesOf(call.principal.accountId))),
      { ...operations.exportOpenApi },
    )
    .get(
      "/asyncapi",
      async ({ call }) => answer(call.allowance, 200, asyncApiOf(await entriesOf(call.principal.accountId))),
      { ...operations.exportAsyncApi },
    )
    .post(
      "/import",
      async ({ call, request }) =>
        posting.handleApart(call, request, async () => {
          const entries = entriesIn(readImport(call.body).document);
          const data: ImportedTypeView[] = [];
          for (const each of entries) data.push(await importOne(options, call.principal.accountId, each));
          const imported = data.filter(({ outcome }) => outcome === "imported").length;
          const result = { imported, refused: data.length - imported, data };
          return { status: 200, json: JSON.stringify(result) };
        }),
      { ...operations.importDocument },
    );
}

function entriesIn(document: JsonObject): ReadEntry[] {
  try {
    const entries = "asyncapi" in document ? readAsyncApi(document) : readOpenApi(document);
    if (entries.length <= MAX_IMPORTED) return entries;
  } catch (error) {
    throw error instanceof NoCatalogue ? badRequest(`document.${error.message}`) : error;
  }
  throw badRequest(`document must have at most ${MAX_IMPORTED} event types`);
}

function entryOf({ name, description, group, example, deprecated, schema }: EventType): CatalogueEntry {
  return {
    name,
    ...(description !== null && { description }),
    ...(group !== null && { group }),
    ...(example !== null && { example: JSON.parse(example) }),
    ...(deprecated && { deprecated }),
    ...(schema !== null && { schema }),
  };
}

async function importOne(
  { eventTypes, clock }: CatalogueOptions,
  accountId: AccountId,
  read: ReadEntry,
): Promise<ImportedTypeView> {
  const { name } = read;
  const refused = (problem: string): ImportedTypeView => ({
    event_type: name,
    outcome: "refused",
    problem,
    warnings: [],
  });
  if ("problem" in read) return refused(read.problem);
  const { name: _, schema, example, ...rest } = read.entry;
  const changes: Partial<Description> = {
    ...rest,
    ...(example !== undefined && { example: JSON.stringify(example) }),
  };
  const nameProblem = eventProblem(name);
  if (nameProblem !== null) return refused(`its name ${nameProblem}`);
  const problem = descriptionProblem(changes);
  if (problem !== null) return refused(problem);
  try {
    const judged =
      schema === undefined ? [] : await eventTypes.checkSchema(accountId, name, schema, clock.now());
    if (schema !== undefined) await eventTypes.putSchema(accountId, name, schema);
    if (schema === undefined || Object.keys(changes).length > 0)
      await eventTypes.describe(accountId, name, changes);
    return { event_type: name, outcome: "imported", warnings: warningsOf(judged) };
  } catch (error) {
    if (error instanceof InvalidSchema) return refused(`its schema ${error.problem}`);
    if (error instanceof LimitReached) return refused(error.message);
    throw error;
  }
}
