import { isObject } from "../schema/schema-checks";
import { attached, Document, escaped, type JsonObject, objectIn, required } from "./document";
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

const baseOf = (name: string, method: string, type: string) =>
  `#/webhooks/${escaped(name)}/${method}/requestBody/content/${escaped(type)}/schema`;

/** The JSON content of a request body. */
type Content = Readonly<{
  type: string;
  media: JsonObject;
  /** The first of its `examples`, or a reference to it. */
  named: unknown;
}>;

/** Reads the `webhooks` of an OpenAPI document, one at a time. */
export function readOpenApi(root: JsonObject): Iterable<ReadEntry> {
  const { openapi, webhooks } = root;
  if (typeof openapi !== "string" || !/^3\.[1-9]/.test(openapi))
    throw new NoCatalogue("openapi must be 3.1 or later");
  if (!isObject(webhooks)) throw new NoCatalogue("webhooks must be a JSON object");
  checkCount("webhooks", Object.keys(webhooks).length);
  return new WebhookReader(new Document(root)).entries(webhooks);
}

class WebhookReader {
  /** The content of each body, which many webhooks may share. */
  private readonly contents = new Map<JsonObject, Content>();

  constructor(private readonly document: Document) {}

  *entries(webhooks: JsonObject): Generator<ReadEntry> {
    for (const [name, item] of Object.entries(webhooks))
      yield readingOf(name, () => this.webhook(name, this.document.resolve(required("the webhook", item))));
  }

  private webhook(name: string, item: JsonObject): Omit<CatalogueEntry, "name"> {
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
        schema: this.document.schema(media.schema, baseOf(name, method, type)),
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
