import type { TObject } from "@sinclair/typebox";
import { isEscaped } from "../../client/raw-field";
import type { JsonObject } from "../../domain/json-schema";
import { badRequest } from "../errors";
import { unknownField, unknownFieldOf } from "./unknown-name";

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

/**
 * Returns the object of a body, or of its part at `path`. Refuses unknown fields, because ignoring a mistyped condition would
 * erase, resend or permit too much. The caller checks the values.
 */
export function knownFields(
  { object }: { readonly object: JsonObject },
  model: TObject,
  path: readonly string[] = [],
): JsonObject {
  const unknown = unknownFieldOf(model, object, path);
  if (unknown !== null) throw unknownField(unknown);
  return object;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deepest nesting of a payload, which keeps recursion over payloads safe. */
export const MAX_DEPTH = 128;
/** Deepest nesting of a long body. A batch item's payload is up to three levels inside it. */
export const MAX_BODY_DEPTH = MAX_DEPTH + 3;

/** Returns the end of the string that begins at `start`; the end of the text if it is not closed. */
export function closingQuote(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote;
}

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
export const EXACT: Bounds = { ...FREE, depth: MAX_DEPTH, values: 50_000 };

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
