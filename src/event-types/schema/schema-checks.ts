import { isWrittenNumber } from "../../runtime/text/exact-json";
import { type Cost, FREE } from "./schema-cost";

/** Most items with `uniqueItems`, which compares every pair of items unless they are plain values. */
export const MAX_UNIQUE_ITEMS = 256;
/** Cost of checking a format, beyond a comparison. */
const FORMAT_NODES = 20;
/** Times that a format counts the characters of a text: a character takes as long as four to count (12 ns, measured). */
const FORMAT_LENGTHS = 4;

const PLAIN_TYPES = ["string", "number", "integer", "boolean", "null"];

type Unique = Readonly<Record<string, unknown>>;

export const COST_OF_FORMAT: Cost = { ...FREE, nodes: FORMAT_NODES, lengths: FORMAT_LENGTHS };

/** True if `uniqueItems` can be checked: the items are plain and are looked up, or few enough to compare each pair. */
export function isCheapUnique(schema: Unique): boolean {
  const { uniqueItems, maxItems } = schema;
  if (uniqueItems !== true || hasPlainItems(schema)) return true;
  return typeof maxItems === "number" && maxItems <= MAX_UNIQUE_ITEMS;
}

/** Returns the cost of `uniqueItems`. Plain items are looked up, others compared with each other. */
export function costOfUnique(schema: Unique): Cost {
  const { uniqueItems, maxItems } = schema;
  if (uniqueItems !== true) return FREE;
  const nodes = hasPlainItems(schema) ? 1 : Number(maxItems);
  return { ...FREE, nodes, repeated: nodes };
}

export function hasPlainItems({ items }: Unique): boolean {
  const type = isObject(items) ? items.type : undefined;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.every((each) => PLAIN_TYPES.some((plain) => plain === each));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isWrittenNumber(value);
}
