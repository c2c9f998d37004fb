import { Kind, type Static, type TSchema, type TUnion, Type, TypeRegistry } from "@sinclair/typebox";
import { CONTROL_CHARACTERS, LINES_PATTERN, lengthOf, PLAIN_PATTERN } from "../../runtime/text/plain-text";

/** JSON in the OpenAPI document. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonRecord = { [name: string]: Json };

type NamedSchema = Readonly<{ schema: TSchema; isRequest: boolean }>;

const NAMED = new Map<string, NamedSchema>();
const WORDS = new Map<string, readonly string[]>();
/** The field of a model that has the name of its words. */
const WORDS_NAME = "x-words";

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

/** Returns the named models and words in the document's form. */
export function namedSchemas(): JsonRecord {
  const models = [...NAMED].map(([name, each]): [string, Json] => [name, contentOf(each)]);
  const lists = [...WORDS].map(([name, all]): [string, Json] => [name, listOf(name, all)]);
  return Object.fromEntries([...models, ...lists]);
}

/** Gives each word a constant with the list's name in front: in Go, all constants of a package share their names. */
function listOf(name: string, all: readonly string[]): JsonRecord {
  const constants = all.map(
    (each) => `${name.replaceAll(/(?<=.)(?=[A-Z])/g, "_")}_${each.replaceAll(/\W/g, "_")}`,
  );
  return { type: "string", enum: [...all], "x-enum-varnames": constants.map((each) => each.toUpperCase()) };
}

function contentOf({ schema: { $id: _, ...schema }, isRequest }: NamedSchema): JsonRecord {
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
const LINES = "Lines";
for (const kind of [TEXT, LINES]) TypeRegistry.Set<TextOptions>(kind, isOfLength);

function isOfLength({ minLength = 0, maxLength }: TextOptions, value: unknown): boolean {
  if (typeof value !== "string") return false;
  const length = lengthOf(value);
  return length >= minLength && length <= maxLength;
}

/**
 * A text whose length counts code points, as in JSON Schema. `Type.String` counts characters outside the basic plane twice.
 */
export function text(options: TextOptions) {
  return Type.Unsafe<string>({ [Kind]: TEXT, type: "string", pattern: PLAIN_PATTERN, ...options });
}

/** A text like `text` that may have tabs and several lines. */
export function lines(options: TextOptions) {
  return Type.Unsafe<string>({ [Kind]: LINES, type: "string", pattern: LINES_PATTERN, ...options });
}

/** True for a field of `lines`, or null. */
export function allowsLines(schema: TSchema): boolean {
  const choices: TSchema[] = schema.anyOf ?? [];
  return schema[Kind] === LINES || choices.some(allowsLines);
}

const MOMENT = "Moment";
TypeRegistry.Set(MOMENT, (_, value) => typeof value === "string");

/** A time in a request. The reader checks and parses its text. */
export function moment(description: string) {
  return Type.Unsafe<string>({ [Kind]: MOMENT, type: "string", format: "date-time", description });
}

/** One of a few words. Models that share the words share their name in the document. */
export function words<const T extends readonly string[]>(
  name: string,
  choices: T,
  options: { description?: string } = {},
) {
  const known = WORDS.get(name) ?? choices;
  if (known.join() !== choices.join()) throw new Error(`two lists of words are named ${name}`);
  WORDS.set(name, choices);
  const literals = choices.map((choice) => Type.Literal(choice));
  return Type.Unsafe<T[number]>({ ...Type.Union(literals), ...options, [WORDS_NAME]: name });
}

/** The only word that a field can have. */
export function word<const T extends string>(only: T, options: { description?: string } = {}) {
  return Type.Literal(only, options);
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

/** Converts a TypeBox model to OpenAPI 3.1. Named models and words become references. */
export function toOpenApi(schema: TSchema | TUnion): JsonRecord {
  return rewrite(JSON.parse(JSON.stringify(schema))) as JsonRecord;
}

/** Closes the objects of a request. Says defaults in words: tools take a field with a default for one that is always there. */
function closed(schema: JsonRecord): JsonRecord {
  return closeWithin(schema) as JsonRecord;
}

function closeWithin(node: Json): Json {
  if (Array.isArray(node)) return node.map(closeWithin);
  if (!isRecord(node)) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closeWithin(value)]));
  const isOpen = inner.type !== "object" || !isRecord(inner.properties) || "additionalProperties" in inner;
  return withoutDefault(isOpen ? inner : { ...inner, additionalProperties: false });
}

function withoutDefault({ default: value, ...schema }: JsonRecord): JsonRecord {
  // A property may have the name `default`, and a schema then.
  if (value === undefined || isRecord(value))
    return value === undefined ? schema : { ...schema, default: value };
  const { description } = schema;
  const said = `Default: \`${JSON.stringify(value)}\`.`;
  return { ...schema, description: description === undefined ? said : `${description} ${said}` };
}

function rewrite(node: Json): Json {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$id === "string") return { $ref: pathOf(node.$id) };
  const { anyOf, const: only, patternProperties, [WORDS_NAME]: name, ...rest } = node;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, rewrite(value)]));
  if (typeof inner.pattern === "string") inner.pattern = portable(inner.pattern);
  if (typeof name === "string") return { ...inner, $ref: pathOf(name) };
  if (only !== undefined) return { ...inner, enum: [only] };
  if (isRecord(patternProperties)) return { ...inner, additionalProperties: valuesOf(patternProperties) };
  return Array.isArray(anyOf) ? alternatives(inner, anyOf) : inner;
}

/**
 * Writes a pattern so that all engines read it. They share no escape for the controls after DEL: an engine that reads bytes would
 * find them within other characters. So the service refuses those without the document's help.
 */
function portable(pattern: string): string {
  return pattern.replaceAll(CONTROL_CHARACTERS, "\\x00-\\x1f\\x7f");
}

/** Returns the schema of a record's values, or `true` if it allows any. */
function valuesOf(patternProperties: JsonRecord): Json {
  const [values = {}] = Object.values(patternProperties).map(rewrite);
  return isRecord(values) && Object.keys(values).length === 0 ? true : values;
}

function alternatives(rest: JsonRecord, anyOf: Json[]): JsonRecord {
  const [first, ...others] = anyOf.filter((each) => !isNull(each)).map(rewrite);
  const isNullable = others.length + 1 < anyOf.length;
  if (!isRecord(first) || others.length > 0) return { ...rest, anyOf: anyOf.map(rewrite) };
  if (!isNullable) return { ...first, ...rest };
  if (Array.isArray(first.anyOf)) return { ...first, ...rest, anyOf: [...first.anyOf, { type: "null" }] };
  const { $ref, description, type } = first;
  if ($ref !== undefined)
    return {
      ...(description !== undefined && { description }),
      ...rest,
      anyOf: [{ $ref }, { type: "null" }],
    };
  // A list of words must have null as well.
  const ofWords: JsonRecord = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return { ...first, ...ofWords, ...rest, ...(type !== undefined && { type: [type, "null"] }) };
}

function isNull(node: Json): boolean {
  return isRecord(node) && node.type === "null";
}

export function isRecord(node: Json | undefined): node is JsonRecord {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}
