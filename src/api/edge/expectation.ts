import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { namesIn } from "../../runtime/text/json-pointer";

/** Describes the difference of a body from its model, such as `url must be a string of 1 to 2048 characters`. */
export function describeMisfit({ type, schema, path }: ValueError): string {
  const name = namesIn(path).join(".");
  const isMissing = type === ValueErrorType.ObjectRequiredProperty;
  return `${name} ${isMissing ? "is required" : `must be ${expected(schema)}`}`;
}

function expected(schema: TSchema): string {
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems, items, required, anyOf } = schema;
  const differing = schema.uniqueItems ? ", no two the same" : "";
  switch (type) {
    case "string":
      return `a string${range(minLength, maxLength, "of", "characters")}`;
    case "integer":
      return `a whole number${range(minimum, maximum, "from", "")}`;
    case "number":
      return `a number${range(minimum, maximum, "from", "")}`;
    case "boolean":
      return "true or false";
    case "array":
      return `an array${range(minItems, maxItems, "of", "items")}${items?.type ? `, each ${expected(items)}` : ""}${differing}`;
    case "null":
      return "null";
    case "object":
      return required ? `a JSON object with ${required.join(", ")}` : "a JSON object";
    default:
      return Array.isArray(anyOf) ? oneOf(anyOf) : "valid";
  }
}

function oneOf(choices: readonly TSchema[]): string {
  const words = choices.flatMap((each) => (typeof each.const === "string" ? [each.const] : []));
  if (words.length === choices.length) return `one of ${words.join(", ")}`;
  const expectations = choices.map(expected);
  return expectations.join(expectations.some((each) => each.includes(",")) ? ", or " : " or ");
}

function range(min: number | undefined, max: number | undefined, word: string, unit: string): string {
  if (min === undefined && max === undefined) return "";
  const bounds = max === undefined ? `${min} or more` : `${min ?? 0} to ${max}`;
  return ` ${word} ${bounds}${unit && ` ${unit}`}`;
}
