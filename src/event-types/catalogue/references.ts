import { isObject } from "../schema/schema-checks";
import type { JsonSchema } from "../schema/schema-compiler";

export type JsonObject = { [name: string]: unknown };

const MAX_HOPS = 16;
const SHARED = "#/components/schemas/";

export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns an object of a document. Throws for any other value. */
export function required(name: string, value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new Error(`${name} must be a JSON object`);
}

/** Follows references within the document. Throws if one has no target. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  let node = objectIn(value);
  for (let hops = 0; typeof node.$ref === "string"; hops++) {
    const target = hops < MAX_HOPS ? at(document, node.$ref) : undefined;
    if (target === undefined) throw new Error(`refers to ${node.$ref}, which the document does not have`);
    node = objectIn(target);
  }
  return node;
}

/**
 * Makes a schema of the document self-contained. References to shared schemas become references to its own `$defs`, and
 * references into its own place, `base`, begin at its root.
 */
export function detached(document: JsonObject, schema: unknown, base: string): JsonSchema {
  const shared = objectIn(objectIn(document.components).schemas);
  const definitions: JsonObject = {};
  const rewrite = (reference: string): string => {
    if (reference.startsWith(`${base}/`)) return `#${reference.slice(base.length)}`;
    if (!reference.startsWith(SHARED)) return reference;
    const [name = "", ...rest] = reference.slice(SHARED.length).split("/");
    const key = unescaped(name);
    if (!Object.hasOwn(definitions, key) && Object.hasOwn(shared, key)) {
      // Set before the schema is rewritten, since it may refer to itself.
      definitions[key] = true;
      definitions[key] = withReferences(shared[key], rewrite);
    }
    return `#/$defs/${[name, ...rest].join("/")}`;
  };
  const own = objectIn(withReferences(resolve(document, schema), rewrite));
  if (Object.keys(definitions).length === 0) return own;
  return { ...own, $defs: { ...objectIn(own.$defs), ...definitions } };
}

/** Rewrites a schema for the place `base` in a document: references to its root become references to the place. */
export function attached(schema: JsonSchema, base: string): unknown {
  return withReferences(schema, (reference) =>
    reference === "#" || reference.startsWith("#/") ? base + reference.slice(1) : reference,
  );
}

/** Writes a name as a part of a JSON pointer in a URI (RFC 6901, 6). */
export function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function at(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let node: unknown = document;
  for (const part of reference.slice(2).split("/")) node = objectIn(node)[unescaped(part)];
  return node;
}

function withReferences(value: unknown, rewrite: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, rewrite));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === "$ref" && typeof part === "string" ? rewrite(part) : withReferences(part, rewrite),
    ]),
  );
}
