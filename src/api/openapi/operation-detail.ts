import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import { type ErrorStatus, errorRef } from "./error-responses";
import { headerRefs, SUCCESS_HEADERS } from "./headers";
import type { OperationSpec, Success } from "./operation";
import { type Json, type JsonRecord, toOpenApi } from "./schema";

const KEYED: Record<string, string[]> = { apiKey: [] };
const RECEIVER_KEYED: Record<string, string[]> = { receiver: [] };

/** Returns an operation in the document's form. A POST takes an Idempotency-Key unless its declaration says otherwise. */
export function detailOf(method: string, spec: OperationSpec): DocumentDecoration {
  const takesKey = spec.takesKey ?? method === "POST";
  const detail = {
    operationId: spec.id,
    ...(spec.sdk !== undefined && { "x-hermod-sdk": spec.sdk }),
    tags: [spec.tag],
    summary: spec.summary,
    description: descriptionOf(spec),
    security: spec.forReceivers ? [KEYED, RECEIVER_KEYED] : [KEYED],
    "x-hermod-access": accessOf(spec),
    ...(spec.cells && { "x-hermod-cells": spec.cells }),
    parameters: [
      ...pathParameters(spec),
      ...queryParameters(spec.query),
      ...(takesKey ? [idempotencyKey] : []),
      ...(spec.isResumed ? [lastEventId] : []),
      account,
    ],
    ...(spec.body && { requestBody: requestBody(spec.body) }),
    ...(spec.callbacks && { callbacks: spec.callbacks }),
    responses: { ...successes(spec), ...errors(spec, takesKey) },
  };
  return detail as DocumentDecoration;
}

/** Says in the document who may call an operation, for programs that offer each key what it may do. */
function accessOf({ permission, ofAllAccounts, forReceivers, portal }: OperationSpec) {
  return {
    permissions: [...(ofAllAccounts ? ["accounts:act"] : []), ...(permission === null ? [] : [permission])],
    receivers: forReceivers === true,
    portal: portal ? [portal.needs, portal.also].filter((each) => each) : null,
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

function descriptionOf({ description, permission, ofAllAccounts, forReceivers }: OperationSpec): string {
  const needed =
    permission === null
      ? "Needs no permission."
      : `Needs ${forReceivers ? "a receiver key of the endpoint, or " : ""}the permission${ofAllAccounts ? "s `accounts:act` and" : ""} \`${permission}\`.`;
  return description === undefined ? needed : `${description}\n\n${needed}`;
}

/** Marks the free part of a query parameter's name, as in `data.<field>`. */
const FREE_NAME = "<";

const account = { $ref: "#/components/parameters/HermodAccount" };
const lastEventId = { $ref: "#/components/parameters/LastEventId" };
const idempotencyKey = { $ref: "#/components/parameters/IdempotencyKey" };

function pathParameters({ path = {} }: OperationSpec) {
  return Object.entries(path).map(([name, { description, example, schema, external }]) => ({
    name,
    in: "path",
    required: true,
    description: external ? `${description} \`~\` and its \`external_id\` work as well.` : description,
    schema: toOpenApi(Type.Unsafe({ type: "string", ...schema })),
    example,
  }));
}

function queryParameters(query: TObject | undefined) {
  return Object.entries(query?.properties ?? {}).map(([name, model]) => {
    const { description, example, required = false, ...schema } = toOpenApi(model);
    const free = name.indexOf(FREE_NAME);
    return {
      in: "query",
      required,
      ...(free === -1
        ? { name, schema, ...(description !== undefined && { description }) }
        : freeNamed(name.slice(0, free), schema, description)),
      ...(example !== undefined && { example }),
    };
  });
}

/**
 * Describes parameters whose names begin with a prefix such as `metadata.` as one object. Generated clients send each of its
 * properties as a parameter of that name.
 */
function freeNamed(prefix: string, values: JsonRecord, description: Json | undefined) {
  const named = `The names begin with \`${prefix}\`.`;
  return {
    name: prefix.replace(/\W+$/, ""),
    description: description === undefined ? named : `${description} ${named}`,
    style: "form",
    explode: true,
    schema: { type: "object", additionalProperties: values },
  };
}

function requestBody({ schema, example, isOptional }: NonNullable<OperationSpec["body"]>) {
  return {
    required: isOptional !== true,
    content: { "application/json": { schema: toOpenApi(schema), example } },
  };
}

function successes({ success }: OperationSpec) {
  const all = "status" in success ? [success] : success;
  return Object.fromEntries(all.map((each) => [each.status, successOf(each)]));
}

function successOf(success: Success) {
  return {
    description: success.description,
    headers: headerRefs(SUCCESS_HEADERS),
    content: contentOf(success),
  };
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

/** What any operation may answer. */
const COMMON_ERRORS = [400, 401, 403, 405, 413, 421, 429, 500, 503] as const;

function errors(spec: OperationSpec, takesKey: boolean) {
  const statuses = new Set<ErrorStatus>([...COMMON_ERRORS, ...(spec.errors ?? [])]);
  if (takesKey) statuses.add(409);
  if (spec.body) statuses.add(415);
  const ordered = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(ordered.map((status) => [status, errorRef(status)]));
}
