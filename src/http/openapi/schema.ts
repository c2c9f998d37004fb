import { Kind, type Static, type TSchema, type TUnion, Type, TypeRegistry } from "@sinclair/typebox";
import { lengthOf, PLAIN_PATTERN } from "../../runtime/text/plain-text";

/** JSON in the OpenAPI document. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonRecord = { [name: string]: Json };

type Named = Readonly<{ schema: TSchema; isRequest: boolean }>;

const NAMED = new Map<string, Named>();

/** Names a model. The document then has it once, and generated clients use the name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return register(name, schema, false);
}

/** Names a request's model. Its objects allow no other fields (see `unknownFieldOf`). */
export function request<T extends TSchema>(name: string, schema: T): T {
  return register(name, schema, true);
}

function register<T extends TSchema>(name: string, schema: T, isRequest: boolean): T {
  if (NAMED.has(name)) throw new Error(`two models are named ${name}`);
  const itself = { ...schema, $id: name };
  NAMED.set(name, { schema: itself, isRequest });
  return itself;
}

/** Returns the named models in the document's form. */
export function namedSchemas(): JsonRecord {
  return Object.fromEntries([...NAMED].map(([name, each]) => [name, contentOf(each)]));
}

function contentOf({ schema: { $id: _, ...schema }, isRequest }: Named): JsonRecord {
  const content = toOpenApi(schema as TSchema);
  return isRequest ? closed(content) : content;
}

/** Lets a value be null as well. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Makes a field of a new resource optional. Null counts as absent, since answers show unset fields as null. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(nullable(schema));
}

type TextOptions = {
  minLength?: number;
  maxLength: number;
  /** Only for the document. The code checks the text itself, with messages of its own. */
  pattern?: string;
  description?: string;
  default?: string;
};

const TEXT = "Text";
TypeRegistry.Set<TextOptions>(TEXT, ({ minLength = 0, maxLength }, value) => {
  if (typeof value !== "string") return false;
  const length = lengthOf(value);
  return length >= minLength && length <= maxLength;
});

/**
 * A text whose length counts code points, as in JSON Schema. `Type.String` counts characters outside the basic plane twice.
 */
export function text(options: TextOptions) {
  return Type.Unsafe<string>({ [Kind]: TEXT, type: "string", pattern: PLAIN_PATTERN, ...options });
}

const MOMENT = "Moment";
TypeRegistry.Set(MOMENT, (_, value) => typeof value === "string");

/** A time in a request. The reader checks and parses its text. */
export function moment(description: string) {
  return Type.Unsafe<string>({ [Kind]: MOMENT, type: "string", format: "date-time", description });
}

/** One of a few words. */
export function words<const T extends readonly string[]>(choices: T, options: { description?: string } = {}) {
  const literals = choices.map((choice) => Type.Literal(choice));
  return Type.Unsafe<T[number]>({ ...Type.Union(literals), ...options });
}

/** An object with arbitrary names. */
export function mapOf<T extends TSchema>(values: T, description: string) {
  const schema = Type.Object({}, { additionalProperties: values, description });
  return Type.Unsafe<Record<string, Static<T>>>(schema);
}

/** Refers to a model by its name. */
export function ref(name: string) {
  return Type.Unsafe<Static<TSchema>>({ $ref: pathOf(name) });
}

function pathOf(name: string): string {
  return `#/components/schemas/${name}`;
}

/** A union of named models, which the value of `field` distinguishes. */
export function variants<T extends TSchema>(field: string, models: Record<string, T>, description: string) {
  const oneOf = Object.values(models);
  const mapping = Object.fromEntries(
    Object.entries(models).map(([value, { $id }]) => [value, pathOf($id ?? "")]),
  );
  return Type.Unsafe<Static<T>>({ description, oneOf, discriminator: { propertyName: field, mapping } });
}

/** Writes a number with separators, such as 65,536. */
export function written(number: number): string {
  return number.toLocaleString("en");
}

/** A time in an answer, ISO 8601 in UTC. */
export function timestamp(description?: string) {
  return Type.String({ format: "date-time", ...(description && { description }) });
}

/**
 * Converts a TypeBox model to OpenAPI 3.0, which has neither `type: null` nor `const`. Named models become references.
 */
export function toOpenApi(schema: TSchema | TUnion): JsonRecord {
  return rewrite(JSON.parse(JSON.stringify(schema))) as JsonRecord;
}

function closed(schema: JsonRecord): JsonRecord {
  return closeWithin(schema) as JsonRecord;
}

function closeWithin(node: Json): Json {
  if (Array.isArray(node)) return node.map(closeWithin);
  if (!isRecord(node)) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closeWithin(value)]));
  const isOpen = inner.type !== "object" || !isRecord(inner.properties) || "additionalProperties" in inner;
  return isOpen ? inner : { ...inner, additionalProperties: false };
}

function rewrite(node: Json): Json {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$id === "string") return { $ref: pathOf(node.$id) };
  const { anyOf, const: only, patternProperties, ...rest } = node;
  const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, rewrite(value)]));
  if (only !== undefined) return { ...inner, enum: [only] };
  if (isRecord(patternProperties)) return { ...inner, additionalProperties: valuesOf(patternProperties) };
  if (Array.isArray(anyOf)) return wordsOf(inner, anyOf) ?? alternatives(inner, anyOf);
  return inner;
}

/** Returns the schema of a record's values, or `true` if it allows any. */
function valuesOf(patternProperties: JsonRecord): Json {
  const [values = {}] = Object.values(patternProperties).map(rewrite);
  return isRecord(values) && Object.keys(values).length === 0 ? true : values;
}

function wordsOf(rest: JsonRecord, anyOf: Json[]): JsonRecord | null {
  const constants = anyOf.map((each) => (isRecord(each) ? each.const : undefined));
  return constants.every((each) => typeof each === "string")
    ? { ...rest, type: "string", enum: constants }
    : null;
}

function alternatives(rest: JsonRecord, anyOf: Json[]): JsonRecord {
  const others = anyOf.filter((each) => !isNull(each)).map(rewrite);
  const [first] = others;
  const isNullable = others.length < anyOf.length;
  if (others.length > 1) return { ...rest, anyOf: isNullable ? others.map(orNull) : others };
  const single = (first ?? {}) as JsonRecord;
  if (isNullable && Array.isArray(single.anyOf))
    return { ...single, ...rest, anyOf: single.anyOf.map(orNull) };
  // Fields beside a $ref are ignored (OpenAPI 3.0.3), and a wrapped model would still refuse null.
  if (isNullable && "$ref" in single) throw new Error(`${single.$ref} may be null only by its own model`);
  // A nullable enum must list null (OpenAPI 3.0.3).
  const words: JsonRecord = isNullable && Array.isArray(single.enum) ? { enum: [...single.enum, null] } : {};
  return { ...single, ...words, ...rest, ...(isNullable && { nullable: true }) };
}

/** Makes each alternative of a choice nullable, because `nullable` needs a `type` beside it (OpenAPI 3.0.3). */
function orNull(node: Json): Json {
  return isRecord(node) ? { ...node, nullable: true } : node;
}

function isNull(node: Json): boolean {
  return isRecord(node) && node.type === "null";
}

function isRecord(node: Json | undefined): node is JsonRecord {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}
