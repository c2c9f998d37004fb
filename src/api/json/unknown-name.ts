import type { TSchema } from "@sinclair/typebox";
import { nearest } from "../../runtime/text/nearest";
import { shownName } from "../../runtime/text/plain-text";
import { type ApiError, badRequest } from "../errors";

/** A field of a body that its model does not have. */
export type UnknownField = Readonly<{
  /** The names of the enclosing objects, outermost first. */
  path: readonly string[];
  name: string;
  /** The fields that the model has at this place. */
  known: readonly string[];
}>;

/**
 * Finds a field that the model does not have, at any depth. Returns null if there is none. A model's object allows only its
 * `properties`, unless it has `additionalProperties`.
 */
export function unknownFieldOf(
  model: TSchema,
  value: unknown,
  path: readonly string[] = [],
): UnknownField | null {
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(model.anyOf)) return unknownInAll(model.anyOf, value, path);
  if (Array.isArray(value)) return unknownInItems(model, value, path);
  return isObject(model) ? unknownInFields(model, value, path) : null;
}

type ObjectModel = { properties: Record<string, TSchema>; additionalProperties?: TSchema | boolean };

function isObject(model: TSchema): model is TSchema & ObjectModel {
  return model.type === "object" && model.properties !== undefined;
}

function unknownInFields(
  { properties, additionalProperties }: ObjectModel,
  value: object,
  path: readonly string[],
): UnknownField | null {
  for (const [name, inner] of Object.entries(value)) {
    const model = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (!model) return { path, name, known: Object.keys(properties) };
    if (model === true || typeof inner !== "object") continue;
    const unknown = unknownFieldOf(model, inner, [...path, name]);
    if (unknown) return unknown;
  }
  return null;
}

function unknownInItems(
  { items }: TSchema,
  value: readonly unknown[],
  path: readonly string[],
): UnknownField | null {
  if (items === undefined) return null;
  for (const [i, item] of value.entries()) {
    const unknown = unknownFieldOf(items, item, [...path, String(i)]);
    if (unknown) return unknown;
  }
  return null;
}

function unknownInAll(models: readonly TSchema[], value: object, path: readonly string[]) {
  const fits = Array.isArray(value) ? ({ type }: TSchema) => type === "array" : isObject;
  const found = models.filter(fits).map((model) => unknownFieldOf(model, value, path));
  return found.every((unknown) => unknown !== null) ? (found[0] ?? null) : null;
}

/** Returns the 400 for an unknown field. */
export function unknownField({ path, name, known }: UnknownField): ApiError {
  const prefix = path.map((step) => `${shownName(step)}.`).join("");
  const whole = path.length === 0 ? "it" : prefix.slice(0, -1);
  return badRequest(
    `${prefix}${shownName(name)} is not a field of this request; ${hintFor(name, known, prefix, whole)}`,
  );
}

/** Returns the 400 for an unknown query parameter. */
export function unknownParameter(name: string, known: readonly string[]): ApiError {
  return badRequest(
    `${shownName(name)} is not a query parameter of this operation; ${hintFor(name, known, "", "it")}`,
  );
}

function hintFor(name: string, known: readonly string[], prefix: string, whole: string): string {
  const meant = nearest(name, known);
  if (meant !== null) return `did you mean ${prefix}${meant}?`;
  return `${whole} has ${known.length === 0 ? "none" : known.join(", ")}`;
}
