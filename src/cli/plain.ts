import { serialize } from "../client/raw-json";

// Payloads and answers are others' texts: what moves the cursor, sets colours or turns the direction of writing
// must not reach a terminal. C0, DEL, C1, line separators, bidirectional controls.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

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
  return json.replace(/\s*[\r\n]\s*/g, " ").replaceAll("\t", " ");
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
