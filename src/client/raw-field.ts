/**
 * Finds the exact text of a field in a JSON object. JSON.parse and JSON.stringify would change digits of numbers, key
 * order, escapes and white space.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export type RawField = {
  /** The value's text, without white space around it. */
  text: string;
  /** The depth of nested arrays and objects; 0 for a value that is neither. */
  depth: number;
};

/**
 * Finds the field `name` of the object in `json`. Returns null if there is none. Of several with the name the last counts, as in
 * JSON.parse. `json` must be a valid JSON object, which is not checked here.
 */
export function rawField(json: string, name: string): RawField | null {
  let found: RawField | null = null;
  let at = skipSpace(json, json.indexOf("{") + 1);
  while (json.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(json, at);
    const isMatch = keyIs(json, at, keyEnd, name);
    const start = skipSpace(json, skipPast(json, keyEnd, COLON));
    const value = measure(json, start);
    if (isMatch) found = { text: json.slice(start, value.end), depth: value.depth };
    at = skipSpace(json, skipPast(json, value.end, COMMA));
  }
  return found;
}

/** Returns the texts of an array's items. `json` must be a valid JSON array, which is not checked here. */
export function rawItems(json: string): string[] {
  const items: string[] = [];
  let at = skipSpace(json, json.indexOf("[") + 1);
  while (json.charCodeAt(at) !== CLOSE_BRACKET) {
    const { end } = measure(json, at);
    items.push(json.slice(at, end));
    at = skipSpace(json, skipPast(json, end, COMMA));
  }
  return items;
}

/** Compares a key with a name. Keys may have escapes, such as "d\u0061ta". */
function keyIs(json: string, start: number, end: number, name: string): boolean {
  if (end - start === name.length + 2) return json.startsWith(name, start + 1);
  if (end - start < name.length + 2) return false;
  const key = json.slice(start, end);
  return key.includes("\\") && JSON.parse(key) === name;
}

/** Returns the end of the value at `start`, and its depth. */
function measure(json: string, start: number): { end: number; depth: number } {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return { end: endOfString(json, start), depth: 0 };
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { end: endOfWord(json, start), depth: 0 };
  let open = 0;
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth = Math.max(depth, ++open);
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --open === 0) return { end: at + 1, depth };
  }
  throw new RangeError("the text is not valid JSON");
}

/** Returns the index after the closing quote of the string at `start`. */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

/** True if a quote is part of the string, which has an odd number of backslashes before it. */
export function isEscaped(json: string, quote: number): boolean {
  let at = quote - 1;
  while (json.charCodeAt(at) === BACKSLASH) at--;
  return ((quote - at) & 1) === 0;
}

/** Returns the end of a number, true, false or null, which is white space, a comma, or a closing brace or bracket. */
function endOfWord(json: string, start: number): number {
  let at = start;
  while (json.charCodeAt(at) > 0x20 && !isDelimiter(json.charCodeAt(at))) at++;
  return at;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

/** Skips white space and `code`, or stops at the closing brace after the last field. */
function skipPast(json: string, from: number, code: number): number {
  const at = skipSpace(json, from);
  return json.charCodeAt(at) === code ? at + 1 : at;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  for (let code = json.charCodeAt(at); code === 0x20 || (code >= 0x09 && code <= 0x0d); ) {
    code = json.charCodeAt(++at);
  }
  return at;
}
