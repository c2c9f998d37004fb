import type { operations } from "../client/openapi";
import type { Method } from "../client/operation";

// The service's OpenAPI document, as far as commands are made of it.

export type DocumentSchema = Readonly<{
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly (string | null)[];
  anyOf?: readonly DocumentSchema[];
  format?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  items?: DocumentSchema;
  properties?: Readonly<Record<string, DocumentSchema>>;
  required?: readonly string[];
}>;
type JsonBody = { content?: { "application/json"?: { schema: DocumentSchema } } };
type Parameter = {
  name: string;
  in: string;
  schema: DocumentSchema;
  description?: string;
  required?: boolean;
};
/** Who may call an operation. */
export type OperationAccess = Readonly<{
  /** The permissions that a key needs. */
  permissions: readonly string[];
  /** True if a receiver's key may call it for its endpoint. */
  receivers: boolean;
  /** The capabilities that a portal session needs; null if it may not call it. */
  portal: readonly string[] | null;
}>;
type Described = {
  operationId: string;
  "x-hermod-access"?: OperationAccess;
  summary: string;
  description?: string;
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: JsonBody;
  responses: Readonly<Record<string, JsonBody>>;
};
type ApiDocument = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, DocumentSchema> };
};

export type OperationId = keyof operations;
/** A parameter of the query, or a field of the body. */
export type Field = Readonly<{
  name: string;
  schema: DocumentSchema;
  text: string | undefined;
  isRequired: boolean;
}>;
export type ApiOperation = Readonly<{
  id: string;
  method: Method;
  path: string;
  summary: string;
  description: string;
  query: readonly Field[];
  body: readonly Field[];
  /** True if an Idempotency-Key makes it safe to repeat. */
  takesKey: boolean;
  /** The answer's schema. */
  answer: DocumentSchema;
  /** False for a stream. */
  answersJson: boolean;
  /** Null if it needs no key. */
  access: OperationAccess | null;
}>;

let read: ReadonlyMap<string, ApiOperation> | null = null;
let schemas: Record<string, DocumentSchema> = {};

/** Returns an operation of the API by its id. */
export function operationOf(id: OperationId): ApiOperation {
  const found = byId().get(id);
  if (!found) throw new Error(`the API has no operation ${id}`);
  return found;
}

/** Returns all operations of the API. */
export function apiOperations(): readonly ApiOperation[] {
  return [...byId().values()];
}

/** Returns the names in a path, such as `id`. */
export function pathNamesIn(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}

function byId(): ReadonlyMap<string, ApiOperation> {
  read ??= readOperations();
  return read;
}

function readOperations(): ReadonlyMap<string, ApiOperation> {
  // A bundle has the document inside. An import would have the compiler make a type of it, of 700 KB.
  const { paths, components }: ApiDocument = require("../client/openapi.json");
  schemas = components.schemas;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): [string, ApiOperation] => [
      described.operationId,
      { id: described.operationId, method: method as Method, path, ...factsOf(described) },
    ]),
  );
  return new Map(all);
}

function factsOf(described: Described) {
  const { summary, description = "", parameters = [], requestBody, responses } = described;
  const success = responses["200"] ?? responses["201"] ?? responses["202"];
  const query = parameters.flatMap((each) => ("name" in each && each.in === "query" ? [each] : []));
  const { properties = {}, required = [] } = resolved(schemaOf(requestBody));
  return {
    summary,
    description,
    query: query.map(({ name, schema, description: text, required: isRequired = false }) => ({
      name,
      schema: resolved(schema),
      text,
      isRequired,
    })),
    body: Object.entries(properties).map(([name, schema]) => ({
      name,
      schema: resolved(schema),
      text: schema.description,
      isRequired: required.includes(name),
    })),
    takesKey: parameters.some((each) => "$ref" in each && each.$ref.endsWith("/IdempotencyKey")),
    answer: resolved(schemaOf(success)),
    answersJson: success?.content?.["application/json"] !== undefined,
    access: described["x-hermod-access"] ?? null,
  };
}

function schemaOf(body: JsonBody | undefined): DocumentSchema {
  return body?.content?.["application/json"]?.schema ?? {};
}

/** Follows references. Of a choice between a schema and null it takes the schema. */
export function resolved(schema: DocumentSchema): DocumentSchema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const choice = schema.anyOf?.find(({ type }) => type !== "null");
  return choice === undefined ? schema : { description: schema.description, ...resolved(choice) };
}

/** Puts the schemas that a schema refers to in place of the references, without extensions such as `x-enum-varnames`. */
export function inlined(schema: DocumentSchema): DocumentSchema {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (!(value instanceof Object)) return value;
    if ("$ref" in value && typeof value.$ref === "string") return inline(resolved({ $ref: value.$ref }));
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) => (name.startsWith("x-") ? [] : [[name, inline(each)]])),
    );
  };
  return inline(schema) as DocumentSchema;
}

/** Returns the schema of a field within an object, such as `health.state`. */
export function fieldOf(schema: DocumentSchema, path: string): DocumentSchema {
  return path
    .split(".")
    .reduce<DocumentSchema>((inner, name) => resolved(resolved(inner).properties?.[name] ?? {}), schema);
}

export function hasType({ type }: DocumentSchema, name: string): boolean {
  return typeof type === "string" ? type === name : (type?.includes(name) ?? false);
}
