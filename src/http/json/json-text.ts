import type { TObject } from "@sinclair/typebox";
import { badRequest } from "../errors";
import { unknownField, unknownFieldOf } from "./unknown-name";

/**
 * Texts up to this many characters are parsed without a check of their depth. Parsing them takes a few milliseconds at most,
 * whatever their depth.
 */
const LONG_TEXT = 65_536;

const decoder = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Returns false if the Content-Type says that the body is not JSON. */
export function hasJsonType(request: Request): boolean {
  const type = request.headers.get("content-type");
  return type === "application/json" || type === null || JSON_TYPE.test(type);
}

/** Decodes a body as UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("The request body is not valid UTF-8");
  }
}

export type JsonObject = { [name: string]: unknown };

/**
 * Parses the JSON text of a body, or of its part at `path`. Refuses unknown fields, because ignoring a mistyped condition would
 * erase, resend or permit too much. The caller checks the values.
 */
export function parseJsonObject(text: string, model: TObject, path: readonly string[] = []): JsonObject {
  const value = parseObject(text);
  const unknown = unknownFieldOf(model, value, path);
  if (unknown !== null) throw unknownField(unknown);
  return value;
}

function parseObject(text: string): JsonObject {
  if (text.length > LONG_TEXT && isNestedDeeper(text, MAX_BODY_DEPTH)) {
    throw badRequest(`The request body is nested deeper than ${MAX_BODY_DEPTH} levels`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(text === "" ? "The request body is empty" : "The request body is not valid JSON");
  }
  if (!isJsonObject(value)) throw badRequest("The request body must be a JSON object");
  return value;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deepest nesting of a payload, which keeps recursion over payloads safe. */
export const MAX_DEPTH = 128;
/** Deepest nesting of a long body. A batch item's payload is up to three levels inside it. */
export const MAX_BODY_DEPTH = MAX_DEPTH + 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * True if a JSON text nests arrays and objects deeper than `limit`. Stops early. The text need not be valid. Needed because
 * JSON.parse takes up to 0.3 s for a megabyte of brackets (measured).
 */
export function isNestedDeeper(json: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    // Setting one bit turns [ and ] into { and }.
    else if ((code | 0x20) === 0x7b && ++depth > limit) return true;
    else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** Returns the end of the string that begins at `start`; the end of the text if it is not closed. */
function closingQuote(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote;
}

/** True if a quote is part of the string, which has an odd number of backslashes before it. */
export function isEscaped(json: string, quote: number): boolean {
  let at = quote - 1;
  while (json.charCodeAt(at) === BACKSLASH) at--;
  return ((quote - at) & 1) === 0;
}
