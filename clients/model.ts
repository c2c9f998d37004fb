import { type ApiDocument, type DocumentOperation, type Parameter, type Schema, splitRef } from "./document";
import { methodName, resourceName } from "./names";

// The API as clients see it: resources with methods, and the types of their inputs and answers.

export type Shape = Readonly<{
  /** `ref` is a type of its own, `any` any JSON value. */
  kind: "string" | "integer" | "number" | "boolean" | "any" | "list" | "map" | "ref";
  isNullable: boolean;
  /** True for a string that is a time. */
  isTime?: boolean;
  /** The items of a list, the values of a map. */
  inner?: Shape;
  /** The name of a type of its own. */
  name?: string;
  text?: string;
}>;

export type ModelField = Readonly<{ name: string; shape: Shape; isRequired: boolean }>;

export type ModelType = Readonly<{
  name: string;
  text: string;
  /** True if a client sends it. */
  isInput: boolean;
}> &
  ({ kind: "object"; fields: readonly ModelField[] } | { kind: "enum"; values: readonly string[] });

export type ModelMethod = Readonly<{
  /** In camel case, such as `rotateSecret`. */
  name: string;
  http: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  /** The parameters in the path, in its order. */
  ids: readonly string[];
  /** The type of the query or of the body. */
  input: Readonly<{ type: string; in: "query" | "body"; isOptional: boolean }> | null;
  /** True if the path names a resource by the id that the caller gave it. */
  isByExternalId: boolean;
  takesKey: boolean;
  answer: string;
  /** The method that reads all pages of this list, and the type of its items. */
  every: Readonly<{ name: string; item: string }> | null;
  text: string;
}>;

export type ModelResource = Readonly<{ name: string; text: string; methods: readonly ModelMethod[] }>;

export type Model = Readonly<{
  version: string;
  resources: readonly ModelResource[];
  types: readonly ModelType[];
}>;

/** Reads the document into the model. Only types that its methods use are in it. */
export function modelOf(document: ApiDocument): Model {
  const queries = new Map<string, ModelType>();
  const resources = new Map<string, ModelMethod[]>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [http, operation] of Object.entries(operations)) {
      if (!isForClients(operation)) continue;
      const name = resourceName(document, operation);
      const method = methodOf(document, path, http as ModelMethod["http"], operation);
      resources.set(name, [...(resources.get(name) ?? []), method]);
      if (method.input?.in === "query")
        queries.set(method.input.type, queryType(method.input.type, operation));
    }
  const textOf = (name: string) =>
    document.tags.find((tag) => resourceName(document, { tags: [tag.name] }) === name)?.description ?? "";
  return {
    version: document.info.version,
    resources: [...resources].map(([name, methods]) => ({ name, text: textOf(name), methods })),
    types: [...queries.values(), ...typesOf(document, [...resources.values()].flat(), queries)],
  };
}

/** Streams, and operations that need no key or a browser's session, have no method. */
function isForClients(operation: DocumentOperation): boolean {
  const isJson = Object.values(operation.responses).some(({ content }) => content?.["application/json"]);
  return isJson && operation["x-hermod-sdk"] !== null && operation.security?.length !== 0;
}

function methodOf(
  document: ApiDocument,
  path: string,
  http: ModelMethod["http"],
  operation: DocumentOperation,
): ModelMethod {
  const name = methodName(document, path, operation);
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, id = ""]) => id);
  const body = operation.requestBody?.content["application/json"]?.schema;
  const answer = answerOf(operation);
  const item = path.includes("/webhooks") || hasCursor(operation) ? itemOf(document, answer) : null;
  return {
    name,
    http,
    path,
    ids,
    input: body
      ? { type: nameIn(body), in: "body", isOptional: !document.components.schemas[nameIn(body)]?.required }
      : queryOf(operation).length > 0
        ? { type: `${upper(operation.operationId)}Query`, in: "query", isOptional: true }
        : null,
    isByExternalId: http === "put" && path.endsWith("/{id}"),
    takesKey: (operation.parameters ?? []).some((each) => splitRef(each) === "IdempotencyKey"),
    answer,
    every: item !== null && name.startsWith("list") ? { name: name.replace("list", "all"), item } : null,
    text: operation.summary,
  };
}

function queryOf({ parameters = [] }: DocumentOperation): Parameter[] {
  return parameters.flatMap((each) => ("in" in each && each.in === "query" ? [each] : []));
}

function hasCursor(operation: DocumentOperation): boolean {
  return queryOf(operation).some(({ name }) => name === "cursor");
}

/** Of several answers the one with the highest status is the fullest: a new endpoint has its secret as well. */
function answerOf({ responses }: DocumentOperation): string {
  const [success] = ["202", "201", "200"].flatMap(
    (status) => responses[status]?.content?.["application/json"] ?? [],
  );
  return nameIn(success?.schema ?? {});
}

function itemOf({ components }: ApiDocument, answer: string): string | null {
  const { data } = components.schemas[answer]?.properties ?? {};
  return data?.items ? nameIn(data.items) : null;
}

function queryType(name: string, operation: DocumentOperation): ModelType {
  const fields = queryOf(operation).map(({ name, schema, description, required = false }) => ({
    name,
    shape: shapeOf({ description, ...schema }),
    // Clients send a limit themselves.
    isRequired: required && name !== "limit",
  }));
  return { name, kind: "object", text: operation.summary, isInput: true, fields };
}

function typesOf(
  document: ApiDocument,
  methods: readonly ModelMethod[],
  queries: ReadonlyMap<string, ModelType>,
): ModelType[] {
  const inputs = reached(document, [
    ...methods.flatMap(({ input }) => (input?.in === "body" ? [input.type] : [])),
    ...[...queries.values()].flatMap(refsIn),
  ]);
  const all = reached(document, [...inputs, ...methods.map(({ answer }) => answer)]);
  return [...all].sort().map((name) => typeOf(document, name, inputs.has(name)));
}

function reached(document: ApiDocument, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const each of refsIn(typeOf(document, name, false))) visit(each);
  };
  for (const each of names) visit(each);
  return found;
}

function refsIn(type: ModelType): string[] {
  return type.kind === "enum" ? [] : type.fields.flatMap(({ shape }) => refOf(shape));
}

function refOf({ kind, name, inner }: Shape): string[] {
  if (inner) return refOf(inner);
  return kind === "ref" && name !== undefined ? [name] : [];
}

function typeOf({ components }: ApiDocument, name: string, isInput: boolean): ModelType {
  const schema = components.schemas[name] ?? {};
  const { description: text = "", enum: values, properties = {}, required = [] } = schema;
  if (values) return { name, text, isInput, kind: "enum", values: values.filter((each) => each !== null) };
  const fields = Object.entries(properties).map(([field, inner]) => ({
    name: field,
    shape: shapeOf(inner),
    isRequired: required.includes(field),
  }));
  return { name, text, isInput, kind: "object", fields };
}

function shapeOf(schema: Schema): Shape {
  const { description: text, anyOf, type, format, items, additionalProperties } = schema;
  if (schema.$ref) return { kind: "ref", name: nameIn(schema), isNullable: false, text };
  const choice = anyOf?.find((each) => each.type !== "null");
  if (choice) return { ...shapeOf(choice), isNullable: true, text };
  const types = typeof type === "string" ? [type] : (type ?? []);
  const isNullable = types.includes("null");
  const kind = types.find((each) => each !== "null");
  if (kind === "array") return { kind: "list", inner: shapeOf(items ?? {}), isNullable, text };
  if (kind === "object") {
    const values = typeof additionalProperties === "object" ? additionalProperties : {};
    return { kind: "map", inner: shapeOf(values), isNullable, text };
  }
  if (kind === "string" || kind === "integer" || kind === "number" || kind === "boolean")
    return { kind, isNullable, isTime: format === "date-time", text };
  return { kind: "any", isNullable: true, text };
}

function nameIn(schema: Schema): string {
  const name = splitRef(schema);
  if (name === null) throw new Error(`a schema without a name: ${JSON.stringify(schema).slice(0, 200)}`);
  return name;
}

export function upper(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
