import { type CelInput, type CelMap, celMap } from "@bufbuild/cel";

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
/** Matches whole numbers that a double may not hold. */
const MANY_DIGITS = /\d{16}/;
/** Most names of a map that are gone through in less than a step. */
const SMALL_MAP = 16;
const WHOLE = /^-?\d+$/;

/**
 * Parses JSON for CEL. Numbers are doubles, as in CEL's own conversion of JSON. A whole number of up to 64 bits that a double
 * can't hold is an exact `int`.
 */
export function celOf(json: string): CelInput {
  return inMaps(MANY_DIGITS.test(json) ? JSON.parse(json, exact) : JSON.parse(json));
}

/** Returns an `int` for a number that a double can't hold. `source` is the number as it was written. */
function exact(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) return value;
  if (!WHOLE.test(source)) return value;
  const whole = BigInt(source);
  return whole >= MIN_INT && whole <= MAX_INT ? whole : value;
}

/** Turns objects into maps, so that a payload's names, such as `constructor`, have no other meaning. */
function inMaps(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(inMaps);
  if (typeof value !== "object" || value === null) return value as CelInput;
  const map = new Map(Object.entries(value).map(([name, part]) => [name, inMaps(part)]));
  return map.size > SMALL_MAP ? withNamesOnly(celMap(map)) : map;
}

/** Finds nothing for a number at once. The library would go through all names of the map. */
function withNamesOnly(map: CelMap): CelMap {
  const get: CelMap["get"] = (key) => (typeof key === "string" ? map.get(key) : undefined);
  return Object.create(map, { get: { value: get } });
}
