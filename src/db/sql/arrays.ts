import type { AnyId } from "../../domain/ids";

/**
 * An element of an array parameter. Parameters are literals, such as `${arrayOf(ids)}::uuid[]`, and the few array types in results
 * are listed here. Otherwise postgres.js queries the array types on every new connection, and that query fails unhandled when
 * the connection dies.
 */
type Element = string | number | boolean | Date | Uint8Array | null;

// The OIDs of text[] and uuid[] (pg_type.dat).
const ARRAY_OIDS = [1009, 2951];

/** postgres.js type definitions for the arrays that our statements return. */
export const arrayTypes = {
  arrays: { to: 1009, from: ARRAY_OIDS, serialize: (literal: string) => literal, parse: parseArray },
};

/** Writes a Postgres array literal: `{"a","b",NULL}`. */
export function arrayOf(values: readonly Element[]): string {
  let literal = "{";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) literal += ",";
    literal += serializeElement(values[i] ?? null);
  }
  return `${literal}}`;
}

/** Writes the literal without the NULLs at its end: `unnest` beside a longer array restores them. */
export function sparseArrayOf(values: readonly Element[]): string {
  return arrayOf(values.slice(0, values.findLastIndex((value) => value !== null) + 1));
}

/** Writes a literal of elements that need no quotes: numbers, and ids as they are stored. */
export function plainArrayOf(values: readonly (number | AnyId)[]): string {
  return `{${values.join(",")}}`;
}

function serializeElement(value: Element): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quote(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (value instanceof Uint8Array) return `"\\\\x${value.toHex()}"`;
  return String(value);
}

const SPECIAL = /["\\]/g;
// Characters that JSON escapes in its own way; an array literal would read the escape as a plain letter.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNLIKE_JSON = /[\u0000-\u001f\ud800-\udfff]/;

// Array literals quote all other texts as JSON does. JSON.stringify is three times as fast (measured with payloads of
// 500 bytes).
function quote(text: string): string {
  return UNLIKE_JSON.test(text) ? `"${text.replace(SPECIAL, "\\$&")}"` : JSON.stringify(text);
}

/** Parses one-dimensional array literals of text-like elements; NULL becomes null. */
function parseArray(literal: string): (string | null)[] {
  const values: (string | null)[] = [];
  const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;
  for (const match of literal.matchAll(element)) {
    const [, quoted, bare] = match;
    if (quoted !== undefined) values.push(quoted.replace(/\\(.)/g, "$1"));
    else values.push(bare === "NULL" || bare === undefined ? null : bare);
  }
  return values;
}
