import type { TObject, TSchema } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import type { Permission } from "../../accounts/authentication/permissions";
import type { ExternallyNamed } from "../external-ids";
import { type ErrorStatus, errorRef } from "./error-responses";
import { type HeaderName, headerRefs, RATE_HEADERS } from "./headers";
import { type Json, type JsonRecord, toOpenApi } from "./schema";

/** Describes one route; `operation` adds the parts that all routes share. */
export type OperationSpec = {
  id: string;
  /** The permission that a key needs; null for none. */
  permission: Permission | null;
  /** True if it shows all accounts: the key then needs `accounts:act` as well. */
  ofAllAccounts?: true;
  /** True if failures count as failed sign-ins. */
  isSignIn?: true;
  /** False for a change that is not written to the audit log: sends, which lists show. */
  isAudited?: false;
  tag: string;
  summary: string;
  description?: string;
  /** Path parameters, with their descriptions and schemas. */
  path?: Record<string, PathParameter>;
  query?: TObject;
  body?: { schema: TSchema; example: Json; isOptional?: boolean };
  /** True if it takes an Idempotency-Key. True by default for a POST. */
  takesKey?: boolean;
  /** True for a stream that continues from the header Last-Event-ID. */
  isResumed?: true;
  success: Success | readonly Success[];
  /** Errors beyond those that every route can answer. */
  errors?: readonly (404 | 409)[];
  /** Requests that Hermod sends because of this one (OpenAPI callbacks). */
  callbacks?: JsonRecord;
};

/** A path parameter. `external` is the prefix of the id that `~` and an external id can replace. */
type PathParameter = Readonly<{
  description: string;
  example: string;
  schema?: JsonRecord;
  external?: ExternallyNamed;
}>;

type Success = Readonly<{ status: 200 | 201 | 202; description: string } & (JsonContent | StreamContent)>;
type JsonContent = { schema: TSchema; example?: Json; examples?: JsonRecord };
/** An answer of server-sent events, with an example. */
type StreamContent = { stream: string };

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Describes a route for the guard and for the document. */
export type Operation = Readonly<{
  /** The permission that a key needs; null for none. */
  permission: Permission | null;
  ofAllAccounts: boolean;
  /** The name in the document. */
  id: string;
  isSignIn: boolean;
  isAudited: boolean;
  /** The names of its query parameters; null to accept any. */
  parameters: readonly string[] | null;
  hasBody: boolean;
  /** The kind of id that an external id in `:id` replaces; null if the handler resolves it, or the route allows none. */
  external: ExternallyNamed | null;
  detail: DocumentDecoration;
}>;

/** The operation of unknown paths. Every key may learn that a path does not exist. */
export const NOTHING: Operation = {
  permission: null,
  ofAllAccounts: false,
  id: "none",
  isSignIn: false,
  isAudited: false,
  parameters: null,
  hasBody: true,
  external: null,
  detail: { hide: true },
};

const AUDITED = new Set<string>();

/** Returns the names of the operations that the audit log has, in alphabetical order. */
export function auditedOperations(): string[] {
  return [...AUDITED].sort();
}

/** Builds an operation from its description. A POST takes an Idempotency-Key unless its description says otherwise. */
export function operation(method: Method, spec: OperationSpec): Operation {
  const takesKey = spec.takesKey ?? method === "POST";
  const detail = {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: descriptionOf(spec),
    security: [{ apiKey: [] }],
    parameters: [
      ...pathParameters(spec),
      ...queryParameters(spec.query),
      ...(takesKey ? [idempotencyKey] : []),
      ...(spec.isResumed ? [lastEventId] : []),
      account,
    ],
    ...(spec.body && { requestBody: requestBody(spec.body) }),
    ...(spec.callbacks && { callbacks: spec.callbacks }),
    responses: { ...successes(spec, takesKey), ...errors(spec, takesKey) },
  };
  const isAudited = spec.isAudited ?? method !== "GET";
  if (isAudited) AUDITED.add(spec.id);
  return {
    permission: spec.permission,
    ofAllAccounts: spec.ofAllAccounts ?? false,
    id: spec.id,
    isSignIn: spec.isSignIn ?? false,
    isAudited,
    parameters: Object.keys(spec.query?.properties ?? {}),
    hasBody: spec.body !== undefined,
    // A PUT creates the row if the external id is unknown, so its handler resolves the id.
    external: method === "PUT" ? null : (spec.path?.id?.external ?? null),
    detail: detail as DocumentDecoration,
  };
}

/** Builds the `detail` of a route that needs no key and answers JSON. */
export function openOperation(
  spec: { id: string; tag: string; summary: string; query?: TObject; errors?: readonly ErrorStatus[] },
  answers: Record<number, { description: string; schema: TSchema; example: Json }>,
): DocumentDecoration {
  const responses = Object.entries(answers).map(([status, { description, schema, example }]) => [
    status,
    {
      description,
      headers: headerRefs(),
      content: { "application/json": { schema: toOpenApi(schema), example } },
    },
  ]);
  const { id, tag, summary, query, errors = [] } = spec;
  const refused = errors.map((status) => [status, errorRef(status)]);
  const detail = {
    operationId: id,
    tags: [tag],
    summary,
    security: [],
    ...(query && { parameters: queryParameters(query) }),
    responses: Object.fromEntries([...responses, ...refused]),
  };
  return detail as DocumentDecoration;
}

function descriptionOf({ description, permission, ofAllAccounts }: OperationSpec): string {
  const needed =
    permission === null
      ? "Needs no permission."
      : `Needs the permission${ofAllAccounts ? "s `accounts:act` and" : ""} \`${permission}\`.`;
  return description === undefined ? needed : `${description}\n\n${needed}`;
}

const account = { $ref: "#/components/parameters/Account" };
const lastEventId = { $ref: "#/components/parameters/LastEventId" };
const idempotencyKey = { $ref: "#/components/parameters/IdempotencyKey" };

function pathParameters({ path = {} }: OperationSpec) {
  return Object.entries(path).map(([name, { description, example, schema, external }]) => ({
    name,
    in: "path",
    required: true,
    description: external ? `${description} \`~\` and its \`external_id\` work as well.` : description,
    schema: { type: "string", ...schema },
    example,
  }));
}

function queryParameters(query: TObject | undefined) {
  return Object.entries(query?.properties ?? {}).map(([name, model]) => {
    const { description, example, ...schema } = toOpenApi(model);
    return {
      name,
      in: "query",
      required: false,
      ...(description !== undefined && { description }),
      schema,
      ...(example !== undefined && { example }),
    };
  });
}

function requestBody({ schema, example, isOptional }: NonNullable<OperationSpec["body"]>) {
  return {
    required: isOptional !== true,
    content: { "application/json": { schema: toOpenApi(schema), example } },
  };
}

function successes({ success }: OperationSpec, takesKey: boolean) {
  const all = "status" in success ? [success] : success;
  return Object.fromEntries(all.map((each) => [each.status, successOf(each, takesKey)]));
}

function successOf(success: Success, takesKey: boolean) {
  const headers: readonly HeaderName[] = takesKey ? ["Idempotency-Replayed", ...RATE_HEADERS] : RATE_HEADERS;
  return { description: success.description, headers: headerRefs(headers), content: contentOf(success) };
}

function contentOf(success: Success): JsonRecord {
  if ("stream" in success)
    return { "text/event-stream": { schema: { type: "string" }, example: success.stream } };
  const { schema, example, examples } = success;
  return {
    "application/json": {
      schema: toOpenApi(schema),
      ...(example !== undefined && { example }),
      ...(examples !== undefined && { examples }),
    },
  };
}

function errors(spec: OperationSpec, takesKey: boolean) {
  const statuses = new Set<ErrorStatus>([400, 401, 403, 405, 413, 429, 500, 503, ...(spec.errors ?? [])]);
  if (takesKey) statuses.add(409);
  if (spec.body) statuses.add(415);
  const ordered = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(ordered.map((status) => [status, errorRef(status)]));
}
