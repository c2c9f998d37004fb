import { plain, plainJson } from "./plain";
import { padded } from "./table";
import { timeWords } from "./time-words";

/** Fields with JSON of other people, which is shown as it is. */
const JSON_FIELDS: readonly string[] = ["data", "example", "schema", "document"];

/** Writes an object for people, a field per line. `now`: also says how long ago times are; null: does not. */
export function detailOf(value: object, now: number | null): string {
  const fields = Object.entries(value).map(
    ([name, field]) => [plain(name), linesOf(name, field, now)] as const,
  );
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields
    .flatMap(([name, lines]) => lines.map((line, i) => `${padded(i === 0 ? name : "", width)}  ${line}\n`))
    .join("");
}

/** Has a line for each object of a list. */
function linesOf(name: string, value: unknown, now: number | null): string[] {
  const isJson = JSON_FIELDS.includes(name);
  if (isJson || !Array.isArray(value) || !value.some(isFilled)) return [wordsOf(name, value, now)];
  return value.map((each) => wordsOf("", each, now));
}

/** Writes a value as words: a nested object as its fields that have a value. */
export function wordsOf(name: string, value: unknown, now: number | null): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return timeOf(value, now);
  if (JSON_FIELDS.includes(name) || typeof value !== "object" || "rawJSON" in value) return plainJson(value);
  if (Array.isArray(value)) return value.map((each) => wordsOf("", each, now)).join(", ") || "none";
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  const words = fields.map(
    ([inner, field]) => `${plain(inner)}: ${nested(wordsOf(inner, field, now), field)}`,
  );
  return words.join(", ") || "none";
}

function nested(words: string, value: unknown): string {
  return isFilled(value) ? `(${words})` : words;
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("rawJSON" in value);
}

function timeOf(text: string, now: number | null): string {
  const words = now === null ? null : timeWords(text, now);
  return words === null ? plain(text) : `${text} (${words})`;
}
