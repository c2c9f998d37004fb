import type { AnyId } from "../runtime/ids";

/**
 * Array parameters and results. postgres.js learns array types by a query of its own on every new connection,
 * which fails unhandled when that connection dies. So parameters are written as literals here
 * (`${arrayOf(ids)}::uuid[]`), and the few array types that come back are named.
 */
type Element = string | number | boolean | Date | Uint8Array | null;

// The OIDs of text[] and uuid[] (pg_type.dat).
const ARRAY_OIDS = [1009, 2951];

/** postgres.js type definitions for the arrays that our statements give back. */
export const arrayTypes = {
  arrays: { to: 1009, from: ARRAY_OIDS, serialize: (literal: string) => literal, parse: parseArray },
};

/** A Postgres array literal: `{"a","b",NULL}`. */
export function arrayOf(values: readonly Element[]): string {
  let literal = "{";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) literal += ",";
    literal += serializeElement(values[i] ?? null);
  }
  return `${literal}}`;
}

/** Writes the literal without the NULLs at its end: `unnest` beside a longer array puts them back. */
export function sparseArrayOf(values: readonly Element[]): string {
  return arrayOf(values.slice(0, values.findLastIndex((value) => value !== null) + 1));
}

/** The same of what needs no quotes: numbers, and identifiers as they are stored. */
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
// What JSON would write as an escape of its own, which an array literal takes for the plain letter.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNLIKE_JSON = /[\u0000-\u001f\ud800-\udfff]/;

// JSON quotes the other texts just as an array literal does, three times as fast (measured on payloads of 500 bytes).
function quote(text: string): string {
  return UNLIKE_JSON.test(text) ? `"${text.replace(SPECIAL, "\\$&")}"` : JSON.stringify(text);
}

/** One-dimensional array literals of text-like elements; NULL becomes null. */
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
