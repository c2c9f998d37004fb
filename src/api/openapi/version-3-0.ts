import { isRecord, type Json, type JsonRecord } from "./schema";

/** Converts a document from OpenAPI 3.1 to 3.0.3, for tools that read no later one. */
export function toVersion30({ webhooks, ...document }: JsonRecord): JsonRecord {
  const converted = convert({ ...document, ...(webhooks !== undefined && { "x-webhooks": webhooks }) });
  return { ...(converted as JsonRecord), openapi: "3.0.3" };
}

/** Examples are data, and stay as they are. */
const DATA = new Set(["example", "examples", "enum"]);

function convert(node: Json): Json {
  if (Array.isArray(node)) return node.map(convert);
  if (!isRecord(node)) return node;
  const inner = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, DATA.has(name) ? value : convert(value)]),
  );
  return withNullable(withoutSiblings(inner));
}

/** Fields beside a reference would be ignored. */
function withoutSiblings({ $ref, ...rest }: JsonRecord): JsonRecord {
  if ($ref === undefined) return rest;
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] };
}

/** `nullable` takes the place of the type `null`. */
function withNullable(schema: JsonRecord): JsonRecord {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(type)) {
    const [single = "string"] = type.filter((each) => each !== "null");
    return { ...rest, type: single, nullable: true };
  }
  if (!Array.isArray(anyOf)) return schema;
  const choices = anyOf.filter((each) => !(isRecord(each) && each.type === "null"));
  if (choices.length === anyOf.length) return schema;
  return { ...rest, ...(choices.length === 1 ? { allOf: choices } : { anyOf: choices }), nullable: true };
}
