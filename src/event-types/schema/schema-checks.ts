import { messageOf } from "../../runtime/errors";
import { FORMATS } from "./format";
import type { Patterns } from "./patterns";
import { type Cost, FREE } from "./schema-cost";
import { SchemaProblem } from "./schema-problem";

/** Most items with `uniqueItems`, which compares every pair of items unless they are plain values. */
const MAX_UNIQUE_ITEMS = 256;
/** Cost of checking a format, beyond a comparison. */
const FORMAT_NODES = 20;
/** Times that a format counts the characters of a text: a character takes as long as four to count (12 ns, measured). */
const FORMAT_LENGTHS = 4;

const PLAIN_TYPES = ["string", "number", "integer", "boolean", "null"];

/** Checks and compiles a pattern. Costs nothing here: patterns have budgets of their own. */
export function checkPattern(pattern: unknown, path: string, patterns: Patterns): Cost {
  if (typeof pattern !== "string") throw new SchemaProblem(`must have a string at ${path}`);
  try {
    patterns.compile(pattern);
    return FREE;
  } catch (error) {
    throw new SchemaProblem(`has a pattern that can't be used at ${path}: ${messageOf(error)}`);
  }
}

export function checkFormat(format: unknown, path: string): Cost {
  if (typeof format === "string" && Object.hasOwn(FORMATS, format))
    return { ...FREE, nodes: FORMAT_NODES, lengths: FORMAT_LENGTHS };
  throw new SchemaProblem(`has an unknown format at ${path}; known are ${Object.keys(FORMATS).join(", ")}`);
}

/** Returns the cost of `uniqueItems`. Plain items are looked up, others compared with each other. */
export function checkUnique({ uniqueItems, items, maxItems }: Record<string, unknown>, path: string): Cost {
  if (uniqueItems !== true) return FREE;
  const type = isObject(items) ? items.type : undefined;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (types.every((each) => PLAIN_TYPES.some((plain) => plain === each))) {
    return { ...FREE, nodes: 1, repeated: 1 };
  }
  if (typeof maxItems === "number" && maxItems <= MAX_UNIQUE_ITEMS) {
    return { ...FREE, nodes: maxItems, repeated: maxItems };
  }
  throw new SchemaProblem(
    `needs a maxItems of at most ${MAX_UNIQUE_ITEMS}, or items of a plain type, at ${path}`,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
