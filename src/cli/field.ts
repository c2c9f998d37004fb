import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { filled, NONE, named, oneOf, wholeNumber, wholeNumberOrNone } from "./commands/values";
import { type DocumentSchema, type Field, hasType, resolved } from "./document";
import { payloadOf } from "./input";

/** A field of a request, and the name of its option among the flags. */
export type FieldOption = Readonly<{ field: Field; name: string }>;
type ReadOption = (text: string, before: unknown) => unknown;
/** The flags of a command, by their names among Commander's options. */
export type Flags = Readonly<Record<string, unknown>>;
/** Options that are not made of the document, and the fields that they set. */
export type OwnOptions = Readonly<{
  fields: readonly string[];
  /** Returns the options. A change has options that remove values as well. */
  options(isChange: boolean): readonly Option[];
  read(flags: Flags): object;
}>;
/** An option's value and how it is read. */
type Form = Readonly<{ value: string; read: ReadOption }>;

/** Most words of an enum that a text names. An error names them all. */
const MOST_WORDS = 6;

/** Adds the option of a field. A change also has `--no-…`, for false and for null of a text, and `none` for null of a number. */
export function addField(
  command: CommandUnknownOpts,
  field: Field,
  names: Readonly<Record<string, string>> = {},
  isChange = false,
): FieldOption {
  const flag = (names[field.name] ?? field.name).replaceAll("_", "-");
  const isBoolean = hasType(field.schema, "boolean");
  const { value, read } = formOf(field, isChange);
  const option = new Option(isBoolean ? `--${flag}` : `--${flag} <${value}>`, textOf(field, isChange));
  if (!isBoolean) option.argParser(read);
  command.addOption(option.makeOptionMandatory(field.isRequired));
  if (isChange && isBoolean) command.option(`--no-${flag}`, `the opposite of --${flag}`);
  if (isChange && isCleared(field)) command.option(`--no-${flag}`, `remove the ${flag.replaceAll("-", " ")}`);
  return { field, name: optionName(flag) };
}

/** Returns a flag's name among Commander's options: `dry-run` is `dryRun`. */
export function optionName(flag: string): string {
  return new Option(`--${flag}`).attributeName();
}

/** Returns the field with its value, by the flags; nothing without its option. */
export function givenBy({ field, name }: FieldOption, flags: Flags): object {
  const value = flags[name];
  if (value === undefined) return {};
  if (hasType(field.schema, "object") && value instanceof Object) return value;
  const isNull = value === NONE || (value === false && !hasType(field.schema, "boolean"));
  return { [field.name]: isNull ? null : value };
}

/** Makes the text of an option of a description: its first clause, without the full stop. */
export function sentence(description: string): string {
  const [first = ""] = description.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, "$1").split(/;\s|\.(?:\s|$)/);
  return first.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function textOf({ name, text = "", schema }: Field, isChange: boolean): string {
  // A text that only says what null means says nothing about a value.
  const said = text === "" || text.startsWith("Null ") ? `The ${name.replaceAll("_", " ")}` : text;
  const words = sentence(said).replace(/^true if /, "");
  if (schema.format === "date-time") return `${words.replace(" (ISO 8601)", "")} (ISO 8601; UTC by default)`;
  if (hasType(schema, "object") || isTexts(schema)) return `${words}; may be repeated`;
  const choices = wordsOf(schema);
  if (choices.length > 0 && choices.length <= MOST_WORDS) return `${words}: ${choices.join(", ")}`;
  return isChange && isNumberOrNone(schema) ? `${words}, or \`none\`` : words;
}

function wordsOf({ enum: words = [] }: DocumentSchema): string[] {
  return words.filter((word) => word !== null);
}

function isNumberOrNone(schema: DocumentSchema): boolean {
  return hasType(schema, "integer") && hasType(schema, "null");
}

/** Returns whether null removes the value: a text, or JSON of any type. */
function isCleared({ schema }: Field): boolean {
  return schema.type === undefined || (hasType(schema, "string") && hasType(schema, "null"));
}

function isTexts({ items, ...schema }: DocumentSchema): boolean {
  return hasType(schema, "array") && items !== undefined && hasType(resolved(items), "string");
}

function formOf({ name, schema }: Pick<Field, "name" | "schema">, isChange: boolean): Form {
  const { minimum = 0, maximum, minLength = 0, items } = schema;
  if (items !== undefined && isTexts(schema))
    return repeated(formOf({ name, schema: resolved(items) }, false));
  const words = wordsOf(schema);
  if (words.length > 0)
    return { value: "word", read: oneOf(Object.fromEntries(words.map((word) => [word, true]))) };
  if (isChange && isNumberOrNone(schema)) return { value: "n", read: wholeNumberOrNone(minimum) };
  if (hasType(schema, "integer")) return { value: "n", read: wholeNumber(minimum, maximum) };
  if (hasType(schema, "object"))
    return { value: "name=value", read: (text, before) => entry(name, text, before) };
  if (schema.format === "date-time") return { value: "time", read: filled };
  const value = name.endsWith("_id") ? "id" : "text";
  if (hasType(schema, "string")) return { value, read: minLength > 0 ? filled : (text) => text };
  return { value: "json", read: (text) => payloadOf(text, `The ${name}`) };
}

/** Collects the values of an option that may be repeated. */
function repeated({ value, read }: Form): Form {
  return { value, read: (text, before) => [...(Array.isArray(before) ? before : []), read(text, undefined)] };
}

/** Adds an entry of a map, as a parameter such as `data.order_id`. */
function entry(map: string, text: string, before: unknown): object {
  const [name, value] = named(text, "=");
  const known = before instanceof Object ? before : {};
  return { ...known, [`${map}.${name}`]: value };
}
