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
  /** A reference whose target depends on the way to it. */
  | "dynamic reference"
  | "pattern"
  | "format"
  | "unique"
  /** The length of a text, whose characters are counted. */
  | "length"
  /** A number of items, properties or matches. */
  | "count"
  /** Values, compared or not, which contain no schemas. */
  | "value"
  /** OpenAPI's permission of null. */
  | "nullable"
  | "draft"
  /** A name of the schema, which changes no check. */
  | "id"
  /** A text for people. */
  | "note"
  /** A fact that readers may take for a check. */
  | "unchecked";

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
  "dynamic reference": ["$dynamicRef", "$recursiveRef"],
  pattern: ["pattern"],
  format: ["format"],
  unique: ["uniqueItems"],
  length: ["minLength", "maxLength"],
  count: ["minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"],
  value: [
    "type",
    "enum",
    "const",
    "required",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
  ],
  nullable: ["nullable"],
  draft: ["$schema"],
  id: ["$id", "id"],
  note: [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "externalDocs",
    "$comment",
  ],
  unchecked: [
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "discriminator",
    "xml",
  ],
};

const KIND_OF: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind as KeywordKind] as const)),
);

export const KEYWORDS: readonly string[] = [...KIND_OF.keys()];

/** Returns undefined if the name is not a keyword. `x-…` are free annotations. */
export function kindOf(keyword: string): KeywordKind | undefined {
  return keyword.startsWith("x-") ? "note" : KIND_OF.get(keyword);
}

/** True if a schema needs to track evaluated properties and items, which is slow. */
export function isTracking(schema: unknown): boolean {
  return JSON.stringify(schema)?.includes('"unevaluated') ?? false;
}
