import { closingQuote, MAX_BODY_DEPTH, MAX_DEPTH } from "./json-text";

/** Limits of a JSON text, which are checked before it is parsed. */
export type Bounds = Readonly<{
  depth: number;
  /** Most names of fields, of all objects together. JSON.parse takes 1 µs for each new name (measured). */
  names: number;
  /** Most values: an opening bracket or brace begins the first of its object or array, a comma each other. */
  values: number;
  /** Texts up to this many characters are parsed unchecked, since they take a few milliseconds at most. */
  unchecked: number;
}>;

/** Bounds of a body whose model describes every field. */
export const MODELLED: Bounds = { depth: MAX_BODY_DEPTH, names: 2_000, values: 5_000, unchecked: 4_096 };
/** Bounds of a body with a payload, a schema or a document. */
export const FREE: Bounds = { depth: MAX_BODY_DEPTH, names: 40_000, values: 250_000, unchecked: 65_536 };

/** Bounds of a part whose numbers are kept as they were written, which takes eight times as long to parse (measured). */
export const EXACT: Bounds = { ...FREE, depth: MAX_DEPTH, values: 100_000 };

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Returns the bound that a JSON text exceeds; null if there is none. Stops early. The text need not be valid. */
export function exceeded(json: string, { depth, names, values, unchecked }: Bounds): string | null {
  if (json.length <= unchecked) return null;
  let [open, colons, begun] = [0, 0, 0];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    else if (code === COMMA) {
      if (++begun > values) return `has more than ${values} values`;
    } else if (code === COLON) {
      if (++colons > names) return `has more than ${names} names of fields`;
    }
    // Setting one bit turns [ and ] into { and }.
    else if ((code | 0x20) === 0x7b) {
      if (++open > depth) return `is nested deeper than ${depth} levels`;
      if (++begun > values) return `has more than ${values} values`;
    } else if ((code | 0x20) === 0x7d) open--;
  }
  return null;
}
