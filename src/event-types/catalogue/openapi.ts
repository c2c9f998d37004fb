import type { JsonObject } from "../../domain/json-schema";
import { isObject } from "../schema/schema-checks";
import { attached, Document, escaped, objectIn, required } from "./document";
import {
  type CatalogueEntry,
  checkCount,
  INFO,
  NoCatalogue,
  type ReadEntry,
  readingOf,
  textOf,
} from "./entry";

const JSON_TYPE = "application/json";
/** Most characters of a content type (RFC 6838, 4.2). */
const MAX_TYPE_LENGTH = 255;
const METHODS = ["post", "put", "patch", "get", "delete"];

/** Fields with webhooks. OpenAPI 3.0 has none of its own. */
const FIELDS = ["webhooks", "x-webhooks"];
const NO_WEBHOOKS = `${FIELDS.join(", or ")}, must be a JSON object, or the operations of paths must have callbacks`;

const schemaAt = (base: string, method: string, type: string) =>
  `${base}/${method}/requestBody/content/${escaped(type)}/schema`;

/** A path item with the operation that sends a webhook, and its place in the document. */
type Webhook = Readonly<{ item: unknown; base: string }>;

/** The JSON content of a request body. */
type Content = Readonly<{
  type: string;
  media: JsonObject;
  /** The first of its `examples`, or a reference to it. */
  named: unknown;
}>;

/** Reads the webhooks and callbacks of an OpenAPI document, one at a time. Of several with a name the last counts. */
export function readOpenApi(root: JsonObject): Iterable<ReadEntry> {
  const { openapi } = root;
  if (typeof openapi !== "string" || !/^3\./.test(openapi))
    throw new NoCatalogue("openapi must be 3.0 or later");
  const document = new Document(root);
  const webhooks = new Map<string, Webhook>();
  for (const [name, webhook] of webhooksOf(document))
    checkCount("webhooks", webhooks.set(name, webhook).size);
  if (webhooks.size === 0 && !FIELDS.some((field) => isObject(root[field])))
    throw new NoCatalogue(NO_WEBHOOKS);
  return new WebhookReader(document).entries(webhooks);
}

function* webhooksOf(document: Document): Generator<[string, Webhook]> {
  for (const field of FIELDS)
    for (const [name, item] of Object.entries(objectIn(document.root[field])))
      yield [name, { item, base: `#/${field}/${escaped(name)}` }];
  for (const [callbacks, base] of callbacksOf(document))
    for (const [name, callback] of Object.entries(callbacks)) {
      const [first] = Object.entries(document.find(callback) ?? {});
      if (first === undefined) continue;
      const [expression, item] = first;
      yield [name, { item, base: `${base}/${escaped(name)}/${escaped(expression)}` }];
    }
}

/** Returns the callbacks of all operations with their places, each once, however many paths refer to them. */
function callbacksOf(document: Document): Map<JsonObject, string> {
  const found = new Map<JsonObject, string>();
  for (const [path, item] of Object.entries(objectIn(document.root.paths))) {
    const operations = document.find(item) ?? {};
    for (const method of METHODS) {
      const { callbacks } = objectIn(operations[method]);
      if (isObject(callbacks) && !found.has(callbacks))
        found.set(callbacks, `#/paths/${escaped(path)}/${method}/callbacks`);
    }
  }
  return found;
}

class WebhookReader {
  /** The content of each body, which many webhooks may share. */
  private readonly contents = new Map<JsonObject, Content>();

  constructor(private readonly document: Document) {}

  *entries(webhooks: ReadonlyMap<string, Webhook>): Generator<ReadEntry> {
    for (const [name, { item, base }] of webhooks)
      yield readingOf(name, () => this.webhook(base, this.document.resolve(required("the webhook", item))));
  }

  private webhook(base: string, item: JsonObject): Omit<CatalogueEntry, "name"> {
    const method = METHODS.find((each) => each in item) ?? "post";
    const operation = method in item ? required(method, item[method]) : {};
    const { type, media, named } = this.contentOf(this.document.resolve(operation.requestBody));
    if (type.length > MAX_TYPE_LENGTH)
      throw new Error(`has a content type of more than ${MAX_TYPE_LENGTH} characters`);
    const example = media.example ?? this.document.resolve(named).value;
    const [group] = Array.isArray(operation.tags) ? operation.tags : [];
    return {
      ...textOf(operation.description, operation.summary, item.description, item.summary),
      ...(typeof group === "string" && { group }),
      ...(typeof operation.deprecated === "boolean" && { deprecated: operation.deprecated }),
      ...(example !== undefined && { example: this.document.example(example) }),
      ...(media.schema !== undefined && {
        schema: this.document.schema(media.schema, schemaAt(base, method, type)),
      }),
    };
  }

  private contentOf(body: JsonObject): Content {
    const known = this.contents.get(body);
    if (known) return known;
    const content = objectIn(body.content);
    const type =
      JSON_TYPE in content ? JSON_TYPE : Object.keys(content).find((each) => each.includes("json"));
    const media = type === undefined ? {} : objectIn(content[type]);
    const [named] = Object.values(objectIn(media.examples));
    const read = { type: type ?? JSON_TYPE, media, named };
    this.contents.set(body, read);
    return read;
  }
}

/** Writes event types as the `webhooks` of an OpenAPI document, one at a time. */
export async function* openApiText(entries: AsyncIterable<CatalogueEntry>): AsyncGenerator<string, void> {
  yield `{"openapi":"3.1.0","info":${INFO},"webhooks":{`;
  let separator = "";
  for await (const entry of entries) {
    yield `${separator}${JSON.stringify(entry.name)}:${JSON.stringify({ post: operationOf(entry) })}`;
    separator = ",";
  }
  yield "}}";
}

function operationOf({ name, description, group, example, deprecated, schema }: CatalogueEntry) {
  const media = {
    ...(schema !== undefined && {
      schema: attached(schema, schemaAt(`#/webhooks/${escaped(name)}`, "post", JSON_TYPE)),
    }),
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
