export type SchemaField = Readonly<{
  name: string;
  depth: number;
  type: string;
  isRequired: boolean;
  detail: string;
}>;

export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Most levels of nested fields that are listed. */
const DEEPEST = 5;
const MOST = 300;

/** Lists the fields of a JSON Schema, with the rules for each. */
export function schemaFields(schema: Schema, depth = 0): readonly SchemaField[] {
  if (depth > DEEPEST || !isSchema(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties)
    .flatMap(([name, field]) => {
      if (!isSchema(field)) return [];
      const own = {
        name,
        depth,
        type: typeOf(field),
        isRequired: required.includes(name),
        detail: detailOf(field),
      };
      const inner = isSchema(field.items) ? field.items : field;
      return [own, ...schemaFields(inner, depth + 1)];
    })
    .slice(0, MOST);
}

/** Writes a value of the schema, with all digits of a number. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function typeOf(field: Schema): string {
  const { type, items, enum: choices } = field;
  if (type === "array" && isSchema(items)) return `list of ${typeOf(items)}`;
  if (Array.isArray(type)) return type.join(" or ");
  if (typeof type === "string") return type;
  return Array.isArray(choices) || "const" in field ? "value" : "any";
}

function detailOf(field: Schema): string {
  const { description, format, minimum, maximum, minLength, maxLength, pattern, enum: choices } = field;
  return [
    description,
    format && `format ${format}`,
    minimum !== undefined && `at least ${shown(minimum)}`,
    maximum !== undefined && `at most ${shown(maximum)}`,
    minLength !== undefined && `${shown(minLength)} characters or more`,
    maxLength !== undefined && `at most ${shown(maxLength)} characters`,
    pattern && `matches ${pattern}`,
    Array.isArray(choices) && `one of ${choices.map(shown).join(", ")}`,
  ]
    .filter((part) => part !== false && part !== undefined && part !== "")
    .join("; ");
}
