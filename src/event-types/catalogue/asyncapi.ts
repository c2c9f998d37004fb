import type { JsonObject } from "../../domain/json-schema";
import { shownName } from "../../runtime/text/plain-text";
import { isObject } from "../schema/schema-checks";
import { attached, Document, escaped, nameIn, objectIn, required } from "./document";
import {
  type CatalogueEntry,
  checkCount,
  INFO,
  NoCatalogue,
  type ReadEntry,
  readingOf,
  textOf,
} from "./entry";

/** An extension for deprecated messages, for which AsyncAPI has no field. */
const DEPRECATED = "x-deprecated";
const baseOf = (key: string) => `#/components/messages/${escaped(key)}/payload`;

/** A message of the document, or a reference to it, and its key there. */
type Keyed = Readonly<{ key: string; value: unknown }>;

/**
 * Reads the messages of an AsyncAPI document's channels, one at a time, or its shared ones if no channel has any. Of several
 * with a name the last counts.
 */
export function readAsyncApi(root: JsonObject): Iterable<ReadEntry> {
  const { asyncapi, channels } = root;
  if (typeof asyncapi !== "string" || !/^[23]\./.test(asyncapi))
    throw new NoCatalogue("asyncapi must be 2.0 or later");
  const shared = objectIn(root.components).messages;
  if (!isObject(channels) && !isObject(shared))
    throw new NoCatalogue("channels, or components.messages, must be a JSON object");
  const document = new Document(root);
  const found = channelsOf(document, objectIn(channels));
  const inForm3 = asyncapi.startsWith("2.")
    ? [...found].map(([name, channel]) => withMessages(name, channel))
    : found.values();
  const ofChannels = messagesByName("channels", document, inForm3);
  if (ofChannels.size > 0) return entries(document, ofChannels);
  return entries(document, messagesByName("components.messages", document, [{ messages: shared }]));
}

/** Returns each channel once by its first name, however many refer to it. */
function channelsOf(document: Document, channels: JsonObject): Map<string, JsonObject> {
  const found = new Map<JsonObject, string>();
  for (const [name, value] of Object.entries(channels)) {
    const channel = document.find(value);
    if (channel === null)
      throw new NoCatalogue(
        `channels.${shownName(name)} refers to something that the document does not have`,
      );
    if (!found.has(channel)) found.set(channel, name);
  }
  return new Map([...found].map(([channel, name]) => [name, channel]));
}

/** Rewrites a channel of AsyncAPI 2, whose operations have one message or alternatives, in the form of version 3. */
function withMessages(channel: string, { subscribe, publish }: JsonObject): JsonObject {
  const messages = [subscribe, publish].flatMap((operation) => {
    const { message } = objectIn(operation);
    const { oneOf } = objectIn(message);
    return Array.isArray(oneOf) ? oneOf : isObject(message) ? [message] : [];
  });
  return {
    messages: Object.fromEntries(messages.map((message) => [keyOfMessage(message, channel), message])),
  };
}

/** Returns the key of a shared message, the id of another, or else its channel. */
function keyOfMessage(message: unknown, channel: string): string {
  const { $ref, messageId } = objectIn(message);
  if (typeof $ref === "string") return nameIn($ref.slice($ref.lastIndexOf("/") + 1)) ?? channel;
  return typeof messageId === "string" ? messageId : channel;
}

function messagesByName(
  field: string,
  document: Document,
  channels: Iterable<JsonObject>,
): Map<string, Keyed> {
  const found = new Map<string, Keyed>();
  for (const { messages } of channels)
    for (const [key, value] of Object.entries(objectIn(messages))) {
      const name = document.find(value)?.name;
      found.set(typeof name === "string" ? name : key, { key, value });
      checkCount(field, found.size);
    }
  return found;
}

function* entries(document: Document, messages: ReadonlyMap<string, Keyed>): Generator<ReadEntry> {
  for (const [name, { key, value }] of messages)
    yield readingOf(name, () => readMessage(document, key, document.resolve(required("the message", value))));
}

function readMessage(document: Document, key: string, message: JsonObject): Omit<CatalogueEntry, "name"> {
  const [tag] = Array.isArray(message.tags) ? message.tags : [];
  const group = document.resolve(tag).name;
  const [first] = Array.isArray(message.examples) ? message.examples : [];
  const example = objectIn(first).payload;
  const payload = document.resolve(message.payload);
  const schema = "schemaFormat" in payload ? payload.schema : message.payload;
  return {
    ...textOf(message.description, message.summary, message.title),
    ...(typeof group === "string" && { group }),
    ...(typeof message[DEPRECATED] === "boolean" && { deprecated: message[DEPRECATED] }),
    ...(example !== undefined && { example: document.example(example) }),
    ...(schema !== undefined && { schema: document.schema(schema, baseOf(key)) }),
  };
}

/** Writes event types as the messages of an AsyncAPI document, one at a time. */
export async function* asyncApiText(entries: AsyncIterable<CatalogueEntry>): AsyncGenerator<string, void> {
  yield `{"asyncapi":"3.0.0","info":${INFO},"components":{"messages":{`;
  const keys: string[] = [];
  for await (const entry of entries) {
    const key = keyOf(entry.name, keys.length);
    const separator = keys.length === 0 ? "" : ",";
    yield `${separator}${JSON.stringify(key)}:${JSON.stringify(messageOf(key, entry))}`;
    keys.push(key);
  }
  const messages = Object.fromEntries(keys.map((key) => [key, { $ref: `#/components/messages/${key}` }]));
  const channels = { webhooks: { address: null, messages } };
  const operations = { sendWebhook: { action: "send", channel: { $ref: "#/channels/webhooks" } } };
  yield `}},"channels":${JSON.stringify(channels)},"operations":${JSON.stringify(operations)}}`;
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
