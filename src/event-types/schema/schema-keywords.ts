/** The kind of a keyword's value. */
export type KeywordKind =
  /** A schema. */
  | "schema"
  /** A schema for any number of the data's parts. */
  | "each"
  /** An array of schemas. */
  | "schemas"
  /** A schema or an array of schemas, for any number of the data's parts. */
  | "items"
  /** Names, each with a schema. */
  | "named"
  /** Patterns, each with a schema, for any number of the data's parts. */
  | "patterns"
  /** Names, each with a schema or a list of names. */
  | "dependencies"
  /** Names, each with a schema, which is used only if a reference points to it. */
  | "definitions"
  | "reference"
  | "pattern"
  | "format"
  | "unique"
  /** The length of a text, whose characters are counted. */
  | "length"
  /** A keyword that is allowed only at the root. */
  | "root"
  /** Values, compared or not, which contain no schemas. */
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

/** Returns undefined if the name is not a keyword. `x-…` are free annotations. */
export function kindOf(keyword: string): KeywordKind | undefined {
  return keyword.startsWith("x-") ? "note" : KIND_OF.get(keyword);
}

/** True if a schema needs to track evaluated properties and items, which is slow. */
export function isTracking(schema: unknown): boolean {
  return JSON.stringify(schema)?.includes('"unevaluated') ?? false;
}
