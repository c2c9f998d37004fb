/** How the value of a keyword is to be read. */
export type KeywordKind =
  /** A schema. */
  | "schema"
  /** A schema for any number of the data's parts. */
  | "each"
  /** An array of schemas. */
  | "schemas"
  /** A schema or an array of them, for any number of the data's parts. */
  | "items"
  /** Names with a schema each. */
  | "named"
  /** Patterns with a schema each, for any number of the data's parts. */
  | "patterns"
  /** Names with a schema or a list of names each. */
  | "dependencies"
  /** Names with a schema each, used only where something refers to them. */
  | "definitions"
  | "reference"
  | "pattern"
  | "format"
  | "unique"
  /** A text's length, for which its characters are counted. */
  | "length"
  /** Only at the root. */
  | "root"
  /** Values, compared or not, in which no schema is looked for. */
  | "value"
  | "note";

const KINDS: Record<KeywordKind, readonly string[]> = {
  schema: ["not", "if", "then", "else"],
  each: [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "additionalItems",
    "unevaluatedItems",
  ],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  items: ["items"],
  named: ["properties", "dependentSchemas"],
  patterns: ["patternProperties"],
  dependencies: ["dependencies", "dependentRequired"],
  definitions: ["$defs", "definitions"],
  reference: ["$ref"],
  pattern: ["pattern"],
  format: ["format"],
  unique: ["uniqueItems"],
  length: ["minLength", "maxLength"],
  root: ["$schema", "$id"],
  value: [
    "type",
    "enum",
    "const",
    "nullable",
    "required",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
  ],
  note: [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "externalDocs",
    "$comment",
  ],
};

const KIND_OF: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind as KeywordKind] as const)),
);

/** Undefined for what is not a keyword here. `x-…` is anyone's note. */
export function kindOf(keyword: string): KeywordKind | undefined {
  return keyword.startsWith("x-") ? "note" : KIND_OF.get(keyword);
}

/** Whether a schema needs to know which properties and items were looked at. Takes long for nothing where it does not. */
export function isTracking(schema: unknown): boolean {
  return JSON.stringify(schema)?.includes('"unevaluated') ?? false;
}
