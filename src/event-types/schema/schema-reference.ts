import { nameOf } from "../../runtime/text/json-pointer";
import { percentDecoded } from "../../runtime/text/percent-encoding";
import { isObject } from "./schema-checks";
import { SchemaProblem } from "./schema-problem";

/**
 * Finds the target of an internal `$ref` and fetches nothing. Refuses references that Ajv would resolve to another part, since
 * the limits would then be checked on the wrong part. Throws `SchemaProblem`.
 */
export function resolveReference(root: unknown, reference: unknown, path: string): unknown {
  // RFC 6901 has no second #, and Ajv drops one at the end of a reference.
  if (typeof reference !== "string" || !/^#(\/[^#]*)?$/.test(reference)) {
    throw new SchemaProblem(`may refer only to its own parts, as #/…, at ${path}`);
  }
  // Ajv reads this as the whole schema, RFC 6901 as the part with an empty name.
  if (reference === "#/") throw new SchemaProblem(`may not refer to #/ at ${path}`);
  let part = root;
  for (const step of stepsOf(reference, path)) {
    const isThere = typeof part === "object" && part !== null && Object.hasOwn(part, step);
    if (!isThere) throw new SchemaProblem(`refers to ${reference}, which does not exist, at ${path}`);
    part = (part as Record<string, unknown>)[step];
    // Ajv would resolve references inside such a part relative to its $id.
    if (isObject(part) && typeof part.$id === "string") {
      throw new SchemaProblem(`refers to a part with an $id, or through one, at ${path}`);
    }
  }
  return part;
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
