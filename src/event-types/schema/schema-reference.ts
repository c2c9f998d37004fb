import { nameOf } from "../../runtime/json-pointer";
import { percentDecoded } from "../../runtime/percent-encoding";
import { isObject } from "./schema-checks";
import { Flaw } from "./schema-flaw";

/**
 * The part of a schema that a `$ref` within it means; nothing is ever fetched. It is the part that Ajv finds: what
 * Ajv would read in another way is refused, since the limits would be those of something else. Throws `Flaw`.
 */
export function resolveReference(root: unknown, reference: unknown, path: string): unknown {
  // A second # is not in RFC 6901, and Ajv drops one that ends a reference.
  if (typeof reference !== "string" || !/^#(\/[^#]*)?$/.test(reference)) {
    throw new Flaw(`may refer only to its own parts, as #/…, at ${path}`);
  }
  // Ajv takes this for the whole schema; by RFC 6901 it is the part whose name is empty.
  if (reference === "#/") throw new Flaw(`may not refer to #/ at ${path}`);
  let part = root;
  for (const step of stepsOf(reference, path)) {
    const isThere = typeof part === "object" && part !== null && Object.hasOwn(part, step);
    if (!isThere) throw new Flaw(`refers to ${reference}, which is not there, at ${path}`);
    part = (part as Record<string, unknown>)[step];
    // References from there on would begin at that part.
    if (isObject(part) && typeof part.$id === "string") {
      throw new Flaw(`refers to a part with an $id, or through one, at ${path}`);
    }
  }
  return part;
}

/** Taken apart before they are decoded: a slash may be part of a name. */
function stepsOf(reference: string, path: string): string[] {
  return reference
    .split("/")
    .slice(1)
    .map((step) => nameOf(decoded(step, path)));
}

function decoded(step: string, path: string): string {
  const text = percentDecoded(step);
  if (text === null) throw new Flaw(`has a malformed reference at ${path}`);
  return text;
}
