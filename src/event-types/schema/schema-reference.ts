import type { JsonSchema } from "../../domain/json-schema";
import { nameOf } from "../../runtime/text/json-pointer";
import { percentDecoded } from "../../runtime/text/plain-text";
import { isObject } from "./schema-checks";
import { SchemaProblem } from "./schema-problem";

/** A schema with a name of its own, in which references begin, and its path in the whole schema. */
export type SchemaBase = Readonly<{ schema: JsonSchema; path: string }>;

/** The target of a reference, or the reason for which it is not followed. */
export type ReferenceTarget = Readonly<{ part: unknown; path: string } | { elsewhere: string }>;

/** True if references inside a schema begin at this schema. A fragment is the name of a part only. */
export function isBase({ $id }: JsonSchema): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}

/**
 * Finds the target of an internal `$ref` and fetches nothing. Does not follow references to another document, to a name, or
 * through a part with an `$id`. Throws `SchemaProblem` if the target does not exist.
 */
export function resolveReference(
  { schema: base, path: basePath }: SchemaBase,
  reference: unknown,
  path: string,
): ReferenceTarget {
  if (typeof reference !== "string") throw new SchemaProblem(`must have a string at ${path}`);
  const pointer = withoutOwnName(reference, base);
  if (!/^#(\/[^#]+)?$/.test(pointer))
    return { elsewhere: "refers to something other than its own parts, which is not checked" };
  let part: unknown = base;
  for (const step of stepsOf(pointer, path)) {
    const isThere = typeof part === "object" && part !== null && Object.hasOwn(part, step);
    if (!isThere) throw new SchemaProblem(`refers to ${reference}, which does not exist, at ${path}`);
    part = (part as Record<string, unknown>)[step];
    // Its references, and those of its parts, would begin elsewhere.
    if (isObject(part) && typeof part.$id === "string")
      return { elsewhere: "refers to a part with an $id, or through one, which is not checked" };
  }
  return { part, path: basePath + pointer.slice(1) };
}

/** Removes the `$id` of the base from the beginning of a reference. */
function withoutOwnName(reference: string, { $id }: JsonSchema): string {
  const isOwn = typeof $id === "string" && $id !== "" && reference.startsWith(`${$id}#`);
  return isOwn ? reference.slice($id.length) : reference;
}

/** Splits before it decodes, since a name may contain a slash. */
function stepsOf(reference: string, path: string): string[] {
  return reference
    .split("/")
    .slice(1)
    .map((step) => nameOf(decoded(step, path)));
}

function decoded(step: string, path: string): string {
  const text = percentDecoded(step);
  if (text === null) throw new SchemaProblem(`has a malformed reference at ${path}`);
  return text;
}
