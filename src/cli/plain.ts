import { serialize } from "../client/raw-json";

// Payloads and answers are others' texts: what moves the cursor, sets colours or turns the direction of writing
// must not reach a terminal. C0, DEL, C1, line separators, bidirectional controls.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A text with its control characters made visible, as JSON would write them. */
export function plain(text: string): string {
  return text.toWellFormed().replace(CONTROL, escaped);
}

/** JSON in one line that is the same value and harmless on a terminal. */
export function plainJson(value: unknown): string {
  return serialize(value).replace(CONTROL, escaped);
}

/** A JSON text in one line, otherwise to the letter: between its strings, line breaks are but space. */
export function oneLine(json: string): string {
  return json.replace(/\s*[\r\n]\s*/g, " ").replaceAll("\t", " ");
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
