import { badRequest } from "./errors";
import { isNestedDeeper, MAX_BODY_DEPTH } from "./nesting";

/** Shorter texts are parsed at once, however deep: it takes a few milliseconds at most. Characters. */
const LONG_TEXT = 65_536;

const decoder = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** False for a body that says of itself that it is something else. */
export function saysJson(request: Request): boolean {
  const type = request.headers.get("content-type");
  return type === "application/json" || type === null || JSON_TYPE.test(type);
}

/** The text of a body in UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("The request body is not valid UTF-8");
  }
}

export type JsonObject = { [name: string]: unknown };

/** The value of a JSON text that must be an object. */
export function parseJsonObject(text: string): JsonObject {
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
