import type { JsonObject, JsonSchema } from "../../domain/json-schema";
import { nameOf } from "../../runtime/text/json-pointer";
import { percentDecoded, shownName } from "../../runtime/text/plain-text";
import { JsonBudget, TooMuchJson } from "../json-budget";
import { isObject } from "../schema/schema-checks";
import { SCHEMA_SIZE } from "../schema/schema-limits";
import { EXAMPLE_SIZE } from "./entry";

/** Most bytes of a document's schemas and examples together, with the targets of references. */
export const MAX_RESOLVED_BYTES = 1_048_576;

const SHARED = "#/components/schemas/";

/** The target of a reference, or the reference in its chain that has no target. */
type Target = Readonly<{ node: JsonObject } | { missing: string }>;

/**
 * A document, and what its references refer to. Follows each reference once, however many parts refer to it, and copies as much
 * as a request without references could hold.
 */
export class Document {
  private readonly targets = new Map<JsonObject, Target>();
  private bytesLeft = MAX_RESOLVED_BYTES;

  constructor(readonly root: JsonObject) {}

  /** Returns an object, or the one that it refers to. Returns null if it refers to nothing in the document. */
  find(value: unknown): JsonObject | null {
    const target = this.follow(objectIn(value));
    return "node" in target ? target.node : null;
  }

  /** Returns an object, or the one that it refers to. Throws if it refers to nothing in the document. */
  resolve(value: unknown): JsonObject {
    const target = this.follow(objectIn(value));
    if ("node" in target) return target.node;
    throw new Error(`refers to ${shownName(target.missing)}, which the document does not have`);
  }

  /** Copies an example. Throws if it is too large. */
  example(value: unknown): unknown {
    return named("its example", () => new JsonBudget(EXAMPLE_SIZE, this).copy(value));
  }

  /**
   * Copies a schema and makes it self-contained. References to shared schemas become references to its own `$defs`, and
   * references into its own place, `base`, begin at its root. Throws if it is too large.
   */
  schema(schema: unknown, base: string): JsonSchema {
    const target = this.resolve(schema);
    return named("its schema", () => this.detached(target, base));
  }

  private detached(schema: JsonObject, base: string): JsonSchema {
    const budget = new JsonBudget(SCHEMA_SIZE, this);
    const shared = objectIn(objectIn(this.root.components).schemas);
    const definitions = new Map<string, unknown>();
    const own = `${base}/`;
    const rewrite = (reference: string): string => {
      if (reference.startsWith(own)) return `#${reference.slice(base.length)}`;
      if (!reference.startsWith(SHARED)) return reference;
      const path = reference.slice(SHARED.length);
      const name = nameIn(path.split("/", 1)[0] ?? "");
      if (name !== null && Object.hasOwn(shared, name)) definitions.set(name, shared[name]);
      return `#/$defs/${path}`;
    };
    const copy = objectIn(budget.copy(schema, rewrite));
    const copies: [string, unknown][] = [];
    // The copy of a shared schema adds those that it refers to, which the loop then reaches.
    for (const [name, part] of definitions) copies.push([name, budget.copy(part, rewrite)]);
    if (copies.length === 0) return copy;
    return { ...copy, $defs: { ...objectIn(copy.$defs), ...Object.fromEntries(copies) } };
  }

  /** Charges bytes to the budget of the document. */
  take(bytes: number): void {
    this.bytesLeft -= bytes;
    if (this.bytesLeft < 0)
      throw new TooMuchJson(
        `is beyond the ${MAX_RESOLVED_BYTES} bytes that a document's schemas and examples may have together; import it in another document`,
      );
  }

  private follow(start: JsonObject): Target {
    const chain: JsonObject[] = [];
    let node = start;
    let target: Target = { node };
    while (typeof node.$ref === "string") {
      const known = this.targets.get(node);
      target = known ?? { missing: node.$ref };
      if (known !== undefined) break;
      // Ends a chain that comes back to this part.
      this.targets.set(node, target);
      chain.push(node);
      const next = partAt(this.root, node.$ref);
      if (next === undefined) break;
      node = objectIn(next);
      target = { node };
    }
    for (const each of chain) this.targets.set(each, target);
    return target;
  }
}

/**
 * Rewrites a schema for the place `base` in a document: references to its root become references to the place.
 */
export function attached(schema: JsonSchema, base: string): unknown {
  return new JsonBudget().copy(schema, (reference) =>
    reference === "#" || reference.startsWith("#/") ? base + reference.slice(1) : reference,
  );
}

/** Returns the result of `copy`. Puts the value's name in front of what is wrong with it. */
function named<T>(name: string, copy: () => T): T {
  try {
    return copy();
  } catch (error) {
    throw error instanceof TooMuchJson ? new Error(`${name} ${error.message}`) : error;
  }
}

/** Writes a name as a part of a JSON pointer in a URI (RFC 6901, 6). */
export function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns an object of a document. Throws for any other value. */
export function required(name: string, value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new Error(`${name} must be a JSON object`);
}

/** Finds the part of a document that a reference points to. Stops at the first step that the document does not have. */
function partAt(root: JsonObject, reference: string): unknown {
  let part: unknown = reference.startsWith("#/") ? root : undefined;
  for (let slash = 1; slash !== -1 && part !== undefined; ) {
    const next = reference.indexOf("/", slash + 1);
    const name = nameIn(reference.slice(slash + 1, next === -1 ? undefined : next));
    part = name !== null && isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
    slash = next;
  }
  return part;
}

/** Reads the name in one step of a reference; null if it is malformed. */
export function nameIn(step: string): string | null {
  const decoded = percentDecoded(step);
  return decoded === null ? null : nameOf(decoded);
}
