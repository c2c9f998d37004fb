import {
  type Model,
  type ModelField,
  type ModelMethod,
  type ModelResource,
  type ModelType,
  type Shape,
  upper,
} from "./model";
import { commentOf, enumsFirst, firstSentence, snakeCase } from "./text";

const HEAD = `# Written by clients/generate.ts from the API document.\n\n`;
const WORDS = ["from"];
const IDENTIFIER = /^[a-z_]\w*$/;

/** Writes the generated files of the Python client, by path. */
export function python(model: Model): Record<string, string> {
  return {
    "python/hermod/_version.py": `${HEAD}__version__ = "${model.version}"\n`,
    "python/hermod/_types.py": typesFile(model),
    "python/hermod/_resources.py": resourcesFile(model),
  };
}

function typesFile({ types }: Model): string {
  return `"""The types of inputs and answers. Both are dictionaries at run time."""

${HEAD}from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

${enumsFirst(types).map(typeOf).join("\n\n")}`;
}

function typeOf(type: ModelType): string {
  const { name, text } = type;
  if (type.kind === "enum")
    return `${name} = Literal[${type.values.map((each) => JSON.stringify(each)).join(", ")}]\n`;
  if (type.fields.some(({ name: field }) => !IDENTIFIER.test(field))) return byNames(type.name, type.fields);
  const fields = type.fields.map(({ name: field, shape, isRequired }) => {
    const of = nullable(shape);
    return `${commentOf(shape, "#", "    ")}    ${safe(field)}: ${isRequired ? of : `NotRequired[${of}]`}\n`;
  });
  const doc = text === "" ? "" : `    """${firstSentence(text)}"""\n\n`;
  const body = doc + fields.join("");
  return `class ${name}(TypedDict):\n${body === "" ? "    pass\n" : body}`;
}

/** A type with names that are no identifiers. */
function byNames(name: string, fields: readonly ModelField[]): string {
  const pairs = fields.map(({ name: field, shape }) => `    "${field}": ${nullable(shape)},\n`);
  return `${name} = TypedDict("${name}", {\n${pairs.join("")}})\n`;
}

function nullable(shape: Shape): string {
  return shape.isNullable && shape.kind !== "any" ? `${shapeOf(shape)} | None` : shapeOf(shape);
}

function shapeOf({ kind, name, inner }: Shape): string {
  switch (kind) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "any":
      return "Any";
    case "list":
      return `list[${inner ? nullable(inner) : "Any"}]`;
    case "map":
      return `dict[str, ${inner ? nullable(inner) : "Any"}]`;
    case "ref":
      return name ?? "Any";
  }
}

function resourcesFile({ resources }: Model): string {
  const forms = [false, true].flatMap((isAsync) => [
    ...resources.filter(({ name }) => name !== "").map((each) => resourceOf(each, isAsync)),
    ...resources.filter(({ name }) => name === "").map((each) => rootOf(each, resources, isAsync)),
  ]);
  return `"""The resources of the API, each with its methods."""

${HEAD}from __future__ import annotations

from typing import AsyncIterator, Iterator, Unpack

from . import _types as t
from ._resource import AsyncResource, Resource
from ._transport import AsyncTransport, Transport

${forms.join("\n\n")}`;
}

function classOf({ name }: ModelResource, isAsync: boolean): string {
  return `${isAsync ? "Async" : ""}${name === "" ? "Methods" : upper(name)}`;
}

function resourceOf(resource: ModelResource, isAsync: boolean): string {
  const base = isAsync ? "AsyncResource" : "Resource";
  const doc = resource.text === "" ? "" : `    """${firstSentence(resource.text)}"""\n\n`;
  return `class ${classOf(resource, isAsync)}(${base}):\n${doc}${methodsOf(resource, isAsync)}`;
}

/** The client itself: its own methods, and all resources. */
function rootOf(root: ModelResource, all: readonly ModelResource[], isAsync: boolean): string {
  const transport = isAsync ? "AsyncTransport" : "Transport";
  const made = all
    .filter(({ name }) => name !== "")
    .map((each) => `        self.${snakeCase(each.name)} = ${classOf(each, isAsync)}(transport)\n`);
  return `class ${classOf(root, isAsync)}(${isAsync ? "AsyncResource" : "Resource"}):
    def __init__(self, transport: ${transport}) -> None:
        super().__init__(transport)
${made.join("")}
${methodsOf(root, isAsync)}`;
}

function methodsOf({ methods }: ModelResource, isAsync: boolean): string {
  return methods.flatMap((each) => [callOf(each, isAsync), ...everyOf(each, isAsync)]).join("\n");
}

function callOf(method: ModelMethod, isAsync: boolean): string {
  const { name, http, path, input, takesKey, answer, text } = method;
  const unpacked = input ? [`**${input.in}: Unpack[t.${input.type}]`] : [];
  const named = [...(takesKey ? ["idempotency_key: str | None = None"] : []), ...unpacked];
  const star = takesKey ? ["*"] : [];
  const parameters = [
    "self",
    ...idsOf(method).map(({ parameter }) => `${parameter}: str`),
    ...star,
    ...named,
  ];
  const given = [
    `"${http.toUpperCase()}", "${path}"`,
    ...idList(method),
    ...(input ? [`${input.in}=${input.in}`] : []),
    ...(takesKey ? ["idempotency_key=idempotency_key"] : []),
  ];
  const [define, wait] = isAsync ? ["async def", "await "] : ["def", ""];
  return `    ${define} ${snakeCase(name)}(${parameters.join(", ")}) -> t.${answer}:
        """${text}."""
        return ${wait}self._call(${given.join(", ")})
`;
}

function everyOf(method: ModelMethod, isAsync: boolean): string[] {
  const { every, path, input } = method;
  if (!every) return [];
  const ids = idsOf(method).map(({ parameter }) => `${parameter}: str`);
  const parameters = ["self", ...ids, ...(input ? [`**query: Unpack[t.${input.type}]`] : [])];
  return [
    `    def ${snakeCase(every.name)}(${parameters.join(", ")}) -> ${isAsync ? "Async" : ""}Iterator[t.${every.item}]:
        """Reads all pages of \`${snakeCase(method.name)}\`, each when it is needed."""
        return self._items("${path}", [${idsOf(method)
          .map(({ value }) => value)
          .join(", ")}], ${input ? "query" : "{}"})
`,
  ];
}

function idsOf({ ids, isByExternalId }: ModelMethod) {
  if (isByExternalId) return [{ parameter: "external_id", value: 'f"~{external_id}"' }];
  return ids.map((name) => ({ parameter: name, value: name }));
}

function idList(method: ModelMethod): string[] {
  const ids = idsOf(method);
  return ids.length === 0 ? [] : [`[${ids.map(({ value }) => value).join(", ")}]`];
}

/** A word of Python gets an underscore, which the client removes. */
function safe(name: string): string {
  return WORDS.includes(name) ? `${name}_` : name;
}
