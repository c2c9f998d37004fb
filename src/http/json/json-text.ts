import type { TObject } from "@sinclair/typebox";
import { badRequest } from "../errors";
import { isNestedDeeper, MAX_BODY_DEPTH } from "./nesting";
import { unknownField, unknownFieldOf } from "./unknown-name";

/**
 * Length in characters up to which a text is parsed without a depth check. Parsing takes a few milliseconds at most,
 * however deep.
 */
const LONG_TEXT = 65_536;

const decoder = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Returns false if the Content-Type says that the body is not JSON. */
export function saysJson(request: Request): boolean {
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
 * Parses the JSON text of a body, or of its part at `path`. Refuses unknown fields: a mistyped condition, ignored,
 * would erase, resend or permit too much. The caller checks the values.
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
