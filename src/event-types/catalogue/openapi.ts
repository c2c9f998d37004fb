import { isObject } from "../schema/schema-checks";
import { type CatalogueEntry, NoCatalogue, type ReadEntry, readingOf, textOf } from "./entry";
import { attached, detached, escaped, type JsonObject, objectIn, required, resolve } from "./references";

const JSON_TYPE = "application/json";
const METHODS = ["post", "put", "patch", "get", "delete"];

const baseOf = (name: string, method: string, type: string) =>
  `#/webhooks/${escaped(name)}/${method}/requestBody/content/${escaped(type)}/schema`;

/** Reads the `webhooks` of an OpenAPI document. */
export function readOpenApi(document: JsonObject): ReadEntry[] {
  if (!/^3\.[1-9]/.test(String(document.openapi))) throw new NoCatalogue("openapi must be 3.1 or later");
  if (!isObject(document.webhooks)) throw new NoCatalogue("webhooks must be a JSON object");
  return Object.entries(document.webhooks).map(([name, item]) =>
    readingOf(name, () => readWebhook(document, name, resolve(document, required("the webhook", item)))),
  );
}

function readWebhook(document: JsonObject, name: string, item: JsonObject): Omit<CatalogueEntry, "name"> {
  const method = METHODS.find((each) => each in item) ?? "post";
  const operation = method in item ? required(method, item[method]) : {};
  const content = objectIn(resolve(document, operation.requestBody).content);
  const type = JSON_TYPE in content ? JSON_TYPE : Object.keys(content).find((each) => each.includes("json"));
  const media = type === undefined ? {} : objectIn(content[type]);
  const [group] = Array.isArray(operation.tags) ? operation.tags : [];
  const [named] = Object.values(objectIn(media.examples)).map((each) => resolve(document, each).value);
  const example = media.example ?? named;
  return {
    ...textOf(operation.description, operation.summary, item.description, item.summary),
    ...(typeof group === "string" && { group }),
    ...(typeof operation.deprecated === "boolean" && { deprecated: operation.deprecated }),
    ...(example !== undefined && { example }),
    ...(media.schema !== undefined && {
      schema: detached(document, media.schema, baseOf(name, method, type ?? JSON_TYPE)),
    }),
  };
}

/** Writes event types as the `webhooks` of an OpenAPI document. */
export function openApiOf(entries: readonly CatalogueEntry[]) {
  return {
    openapi: "3.1.0",
    info: { title: "Event types", version: "1" },
    webhooks: Object.fromEntries(entries.map((entry) => [entry.name, { post: operationOf(entry) }])),
  };
}

function operationOf({ name, description, group, example, deprecated, schema }: CatalogueEntry) {
  const media = {
    ...(schema !== undefined && { schema: attached(schema, baseOf(name, "post", JSON_TYPE)) }),
    ...(example !== undefined && { example }),
  };
  return {
    ...(description !== undefined && { description }),
    ...(group !== undefined && { tags: [group] }),
    ...(deprecated && { deprecated }),
    requestBody: { required: true, content: { [JSON_TYPE]: media } },
    responses: { "2XX": { description: "The webhook is delivered." } },
  };
}
