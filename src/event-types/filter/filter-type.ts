import type { CelType } from "@bufbuild/cel";

/** The name of a value's type while a filter is evaluated, as the library gives it. */
export type TypeName =
  | ("null_type" | "bool" | "int" | "uint" | "double" | "string" | "bytes" | "list" | "map" | "type")
  | ("google.protobuf.Timestamp" | "google.protobuf.Duration");

/** The values that a part of a filter may have: their kinds, and what is in a list or map. Absent: anything. */
export type FilterType = Readonly<{
  kinds: ReadonlySet<TypeName>;
  key?: FilterType;
  item?: FilterType;
}>;

const NAMES: Record<TypeName, string> = {
  null_type: "null",
  bool: "a condition",
  int: "a whole number",
  uint: "an unsigned number",
  double: "a number",
  string: "a text",
  bytes: "bytes",
  list: "a list",
  map: "an object",
  type: "a type",
  "google.protobuf.Timestamp": "a time",
  "google.protobuf.Duration": "a duration",
};
/** Most kinds that a message names. */
const MOST_NAMED = 5;
const KINDS = Object.keys(NAMES) as TypeName[];
const NUMBERS: readonly TypeName[] = ["int", "uint", "double"];

export function typeOf(...kinds: TypeName[]): FilterType {
  return { kinds: new Set(kinds) };
}

export const ANY = typeOf(...KINDS);
/** No value, such as the items of an empty list. */
export const NEVER = typeOf();
export const BOOL = typeOf("bool");
export const TEXT = typeOf("string");

/** A value of a payload. Its parts are values of a payload themselves. */
const JSON_VALUE: { kinds: ReadonlySet<TypeName>; key: FilterType; item: FilterType } = {
  kinds: new Set<TypeName>(["null_type", "bool", "int", "double", "string", "list", "map"]),
  key: TEXT,
  item: ANY,
};
JSON_VALUE.item = JSON_VALUE;

/** The types of a filter's variables. */
export const VARIABLE_TYPES: ReadonlyMap<string, FilterType> = new Map([
  ["event", typeOf("string", "null_type")],
  ["data", JSON_VALUE],
  ["metadata", { kinds: new Set<TypeName>(["map"]), key: TEXT, item: TEXT }],
]);

export function listOf(item: FilterType): FilterType {
  return { kinds: new Set<TypeName>(["list"]), item };
}

export function mapOf(key: FilterType, item: FilterType): FilterType {
  return { kinds: new Set<TypeName>(["map"]), key, item };
}

/** Returns the type of values that have one of the two types. */
export function either(a: FilterType, b: FilterType): FilterType {
  if (a === b || b === NEVER || a === ANY) return a;
  if (a === NEVER || b === ANY) return b;
  return {
    kinds: a.kinds.union(b.kinds),
    key: either(partOf(a, "key"), partOf(b, "key")),
    item: either(partOf(a, "item"), partOf(b, "item")),
  };
}

function partOf(type: FilterType, part: "key" | "item"): FilterType {
  return type.kinds.has("list") || type.kinds.has("map") ? (type[part] ?? ANY) : NEVER;
}

/** Returns the type of a list's items and a map's values. An empty literal counts as unknown. */
export function itemOf({ item }: FilterType): FilterType {
  return item === undefined || item.kinds.size === 0 ? ANY : item;
}

/** Returns the type of a map's keys. */
export function keyOf({ key }: FilterType): FilterType {
  return key === undefined || key.kinds.size === 0 ? ANY : key;
}

/** True if a value of one type may be of the other. */
export function fits(a: FilterType, b: FilterType): boolean {
  return !a.kinds.isDisjointFrom(b.kinds);
}

/** True if a value of one type can equal a value of the other: numbers of all kinds are compared by value. */
export function canEqual(a: FilterType, b: FilterType): boolean {
  return fits(a, b) || (mayBeNumber(a) && mayBeNumber(b));
}

export function mayBeNumber({ kinds }: FilterType): boolean {
  return NUMBERS.some((kind) => kinds.has(kind));
}

/** True if all values of the type are numbers. */
export function isNumber(type: FilterType): boolean {
  return type.kinds.size > 0 && [...type.kinds].every((kind) => NUMBERS.includes(kind));
}

const BY_NAME: ReadonlyMap<string, FilterType> = new Map([
  ["dyn", ANY],
  ...KINDS.map((kind) => [kind, typeOf(kind)] as const),
]);

/** Converts a type of the library, such as a function's argument. */
export function fromCel(type: CelType): FilterType {
  return BY_NAME.get(type.name) ?? NEVER;
}

/** Describes a type, such as `a text or null`. */
export function describe({ kinds }: FilterType): string {
  if (kinds.size > MOST_NAMED) return "a JSON value";
  const all = KINDS.filter((kind) => kinds.has(kind));
  const shown = kinds.has("double") ? all.filter((kind) => kind !== "int" && kind !== "uint") : all;
  const names = shown.map((kind) => NAMES[kind]).reverse();
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
