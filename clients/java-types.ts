import { accessor, className, docOf, HEAD } from "./java-names";
import type { ModelField, ModelType, Shape } from "./model";
import { firstSentence } from "./text";

/** The names of the types that are enumerations. */
type Enums = ReadonlySet<string>;

/** Writes the file of a type. */
export function typeOf(type: ModelType, enums: Enums): string {
  const doc = type.text === "" ? "" : docOf(type.text);
  if (type.kind === "enum") return enumOf(className(type.name), doc, type.values);
  return type.isInput ? inputOf(type, doc) : answerOf(type, doc, enums);
}

function enumOf(name: string, doc: string, values: readonly string[]): string {
  const constants = values.map(
    (value) => `    ${value.replace(/\W+/g, "_").toUpperCase()}(${JSON.stringify(value)}),\n`,
  );
  return `${HEAD}package dev.hermod.model;

import dev.hermod.json.Json;

${doc}public enum ${name} {
${constants.join("")}    /** A value that is newer than this client. */
    UNKNOWN("");

    private final String text;

    ${name}(String text) {
        this.text = text;
    }

    /** Reads a value as the API writes it. */
    public static ${name} of(Json json) {
        for (var each : values()) if (each.text.equals(json.asText())) return each;
        return UNKNOWN;
    }

    /** Returns the value as the API writes it. */
    @Override
    public String toString() {
        return text;
    }
}
`;
}

function answerOf({ name, fields }: ModelType & { kind: "object" }, doc: string, enums: Enums): string {
  const body = fields.map((each) => `${fieldDoc(each)}    public ${getterOf(each, enums)}\n`);
  return `${fileHead(body, ["Answer", "Json"])}${doc}public class ${className(name)} extends Answer {
    /** Views an answer of the service. */
    public ${className(name)}(Json json) {
        super(json);
    }
${body.map((each) => `\n${each}`).join("")}}
`;
}

function getterOf({ name, shape, isRequired }: ModelField, enums: Enums): string {
  const isNullable = (shape.isNullable || !isRequired) && shape.kind !== "any";
  const of = isNullable ? `@Nullable ${boxed(shape)}` : primitive(shape);
  return `${of} ${accessor(name)}() { return ${readerOf(name, shape, enums)}; }`;
}

function readerOf(name: string, shape: Shape, enums: Enums): string {
  const { kind, inner } = shape;
  if (kind === "any") return `json().get("${name}")`;
  if ((kind === "list" || kind === "map") && inner) return `${kind}("${name}", ${functionOf(inner, enums)})`;
  return `read("${name}", ${functionOf(shape, enums)})`;
}

/** The function that reads a JSON value. */
function functionOf({ kind, name = "", isTime }: Shape, enums: Enums): string {
  switch (kind) {
    case "string":
      return isTime ? "Json::asInstant" : "Json::asText";
    case "integer":
      return "Json::asLong";
    case "number":
      return "Json::asDouble";
    case "boolean":
      return "Json::asBoolean";
    case "ref":
      return enums.has(name) ? `${className(name)}::of` : `${className(name)}::new`;
    case "any":
      return "Function.identity()";
    case "list":
    case "map":
      throw new Error("The Java client reads no list or map within another");
  }
}

function inputOf({ name, fields }: ModelType & { kind: "object" }, doc: string): string {
  const body = fields.map((each) => settersOf(className(name), each));
  return `${fileHead(body, ["Input"])}${doc}public final class ${className(name)} extends Input {
${body.join("\n")}}
`;
}

/** A number that can be null has a setter for numbers too, since Java makes no \`Long\` of \`5\`. */
function settersOf(holder: string, field: ModelField): string {
  const { name, shape } = field;
  const isNumber = shape.kind === "integer" || shape.kind === "number";
  const types = shape.isNullable
    ? [`@Nullable ${given(shape)}`, ...(isNumber ? [primitive(shape)] : [])]
    : [isNumber || shape.kind === "boolean" ? primitive(shape) : given(shape)];
  const setters = types.map(
    (type) =>
      `${fieldDoc(field)}    public ${holder} ${accessor(name)}(${type} ${accessor(name)}) { return with(this, "${name}", ${accessor(name)}); }\n`,
  );
  return setters.join("\n");
}

/** The type of a parameter. */
function given(shape: Shape): string {
  const { kind, inner } = shape;
  if (kind === "any") return "Object";
  if (kind === "list" && inner)
    return inner.kind === "integer" ? "List<? extends Number>" : `List<${boxed(inner)}>`;
  if (kind === "map" && inner) return `Map<String, ${inner.kind === "any" ? "?" : boxed(inner)}>`;
  return boxed(shape);
}

function boxed({ kind, name = "", inner, isTime }: Shape): string {
  switch (kind) {
    case "string":
      return isTime ? "Instant" : "String";
    case "integer":
      return "Long";
    case "number":
      return "Double";
    case "boolean":
      return "Boolean";
    case "any":
      return "Json";
    case "list":
      return `List<${inner ? boxed(inner) : "Json"}>`;
    case "map":
      return `Map<String, ${inner ? boxed(inner) : "Json"}>`;
    case "ref":
      return className(name);
  }
}

function primitive(shape: Shape): string {
  const primitives: Partial<Record<Shape["kind"], string>> = {
    integer: "long",
    number: "double",
    boolean: "boolean",
  };
  return primitives[shape.kind] ?? boxed(shape);
}

/** The package and the imports that the body needs. */
function fileHead(body: readonly string[], always: readonly string[]): string {
  const code = body.join("").replace(/\/\*\*.*\*\//g, "");
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const own = ["Answer", "Input", "Json", "Nullable"].filter((name) => always.includes(name) || uses(name));
  const library = ["time.Instant", "util.List", "util.Map", "util.function.Function"].filter((path) =>
    uses(path.split(".").at(-1) ?? ""),
  );
  const imports = [
    ...own.map((name) => `import dev.hermod.json.${name};\n`),
    ...library.map((path) => `import java.${path};\n`),
  ];
  return `${HEAD}package dev.hermod.model;\n\n${imports.join("")}\n`;
}

function fieldDoc({ shape }: ModelField): string {
  return firstSentence(shape.text) === "" ? "" : docOf(shape.text ?? "", "    ");
}
