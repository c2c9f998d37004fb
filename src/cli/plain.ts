import { serialize } from "../client/raw-json";

// C0, DEL, C1, line separators and bidirectional controls. Payloads and answers come from others: they must not move the
// terminal's cursor, set colours or turn the direction of writing.
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Escapes control characters as in JSON. */
export function plain(text: string): string {
  return text.toWellFormed().replace(CONTROL, escaped);
}

/** Writes a value as JSON in one line that is safe for a terminal. */
export function plainJson(value: unknown): string {
  return serialize(value).replace(CONTROL, escaped);
}

/** Joins a JSON text into one line and changes nothing else: line breaks outside strings are only white space. */
export function oneLine(json: string): string {
  return json.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? " " : space.replaceAll("\t", " ")));
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
