import { isObject } from "../schema/schema-checks";
import { type CatalogueEntry, NoCatalogue, type ReadEntry, readingOf, textOf } from "./entry";
import { attached, detached, escaped, type JsonObject, objectIn, required, resolve } from "./references";

/** An extension for deprecated messages, for which AsyncAPI has no field. */
const DEPRECATED = "x-deprecated";
const baseOf = (key: string) => `#/components/messages/${escaped(key)}/payload`;

/** Reads the messages of an AsyncAPI document's channels, or its shared ones if no channel has any. */
export function readAsyncApi(document: JsonObject): ReadEntry[] {
  if (!/^3\./.test(String(document.asyncapi))) throw new NoCatalogue("asyncapi must be 3.0 or later");
  if (!isObject(document.channels) && !isObject(objectIn(document.components).messages))
    throw new NoCatalogue("channels, or components.messages, must be a JSON object");
  const channels = Object.values(objectIn(document.channels)).map((each) => resolve(document, each));
  const ofChannels = channels.flatMap(({ messages }) => Object.entries(objectIn(messages)));
  const shared = Object.entries(objectIn(objectIn(document.components).messages));
  const messages = ofChannels.length > 0 ? ofChannels : shared;
  const read = messages.map(([key, value]) => {
    const name = nameOf(document, key, value);
    return readingOf(name, () =>
      readMessage(document, key, resolve(document, required("the message", value))),
    );
  });
  return [...new Map(read.map((each) => [each.name, each])).values()];
}

function nameOf(document: JsonObject, key: string, value: unknown): string {
  try {
    const { name } = resolve(document, value);
    return typeof name === "string" ? name : key;
  } catch {
    return key;
  }
}

function readMessage(document: JsonObject, key: string, message: JsonObject): Omit<CatalogueEntry, "name"> {
  const [tag] = Array.isArray(message.tags) ? message.tags : [];
  const group = resolve(document, tag).name;
  const [first] = Array.isArray(message.examples) ? message.examples : [];
  const example = objectIn(first).payload;
  const payload = resolve(document, message.payload);
  const schema = "schemaFormat" in payload ? payload.schema : message.payload;
  return {
    ...textOf(message.description, message.summary, message.title),
    ...(typeof group === "string" && { group }),
    ...(typeof message[DEPRECATED] === "boolean" && { deprecated: message[DEPRECATED] }),
    ...(example !== undefined && { example }),
    ...(schema !== undefined && { schema: detached(document, schema, baseOf(key)) }),
  };
}

/** Writes event types as the messages of an AsyncAPI document. */
export function asyncApiOf(entries: readonly CatalogueEntry[]) {
  const keyed = entries.map((entry, i) => [keyOf(entry.name, i), entry] as const);
  return {
    asyncapi: "3.0.0",
    info: { title: "Event types", version: "1" },
    channels: {
      webhooks: {
        address: null,
        messages: Object.fromEntries(keyed.map(([key]) => [key, { $ref: `#/components/messages/${key}` }])),
      },
    },
    operations: { sendWebhook: { action: "send", channel: { $ref: "#/channels/webhooks" } } },
    components: { messages: Object.fromEntries(keyed.map(([key, entry]) => [key, messageOf(key, entry)])) },
  };
}

/** Returns a message's key: its name, or with `_` for characters that keys don't allow, and a number to keep it unique. */
function keyOf(name: string, i: number): string {
  const key = name.replaceAll(/[^\w.-]/g, "_");
  return key === name ? key : `${key}_${i}`;
}

function messageOf(
  key: string,
  { name, description, group, example, deprecated, schema }: CatalogueEntry,
): JsonObject {
  return {
    name,
    contentType: "application/json",
    ...(description !== undefined && { description }),
    ...(group !== undefined && { tags: [{ name: group }] }),
    ...(deprecated && { [DEPRECATED]: true }),
    ...(example !== undefined && { examples: [{ payload: example }] }),
    ...(schema !== undefined && { payload: attached(schema, baseOf(key)) }),
  };
}
