import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import type { Facts } from "../../domain/audit-entry";
import type { AccountId } from "../../domain/ids";
import type { Permission } from "../../domain/permission";
import type { Capability } from "../../domain/portal";
import type { ExternallyNamed } from "../external-ids";
import { type BodySchema, bodySchema } from "../json/body-schema";
import type { BodyReaderOptions } from "../json/json-body";
import { type Bounds, FREE, MODELLED } from "../json/json-text";
import type { Json, JsonRecord } from "./schema";

/**
 * How an operation that concerns more than one account spreads over the cells of an installation, for the router and the cells.
 *
 * - `merged`: a list, newest first, of which the router merges all cells' pages.
 * - `summed`: figures, which the router adds.
 * - `one`: belongs to one cell, which `Hermod-Cell` or the path names.
 * - `found`: concerns a thing that is in one cell, which the router finds by asking all.
 * - `placed`: may make an account, in the cell that the router chooses.
 * - `cells`: lists the cells.
 * - `token`: concerns the token of the request, in the cell that has it.
 * - `body`: concerns one account, which its body may name. Routers read no bodies: the cell that gets it answers 421 with the home.
 */
export type CellSpread = "merged" | "summed" | "one" | "found" | "placed" | "cells" | "token" | "body";

/** Declares one route. The guard, the document, the audit log and the portal's list follow from it. */
export type OperationSpec<Body extends TObject = TObject> = {
  /** The name in the document and in the audit log. The names of the clients' methods are derived from it. */
  id: string;
  /** The name of the clients' method, such as `keys.create`, if another than derived; null if they have none. */
  sdk?: string | null;
  /** The permission that a key needs; null for none. */
  permission: Permission | null;
  /** True if it shows all accounts: the key then needs `accounts:act` as well. */
  ofAllAccounts?: true;
  /** How it spreads over cells. Without it, it concerns one account, in the cell of this account. */
  cells?: CellSpread;
  /** True if failures count as failed sign-ins. */
  isSignIn?: true;
  /** True if the receiver's key of the endpoint in its path may call it, and needs no permission. */
  forReceivers?: true;
  /** The rule for portal sessions, which can't call an operation without one. */
  portal?: PortalRule;
  /** The part that the audit log records. Only changes have one; lists show the sends. */
  audit?: Audit;
  tag: string;
  summary: string;
  description?: string;
  /** Path parameters, with their descriptions and schemas. */
  path?: Record<string, PathParameter>;
  query?: TObject;
  body?: DeclaredBody<Body>;
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

type DeclaredBody<Body extends TObject> = BodyReaderOptions & {
  schema: Body;
  example: Json;
  /** True if an empty body counts as `{}`. */
  isOptional?: true;
  /** True if the handler reads `call.body` itself, since it needs the exact text of a part. */
  isRaw?: true;
};

/**
 * The rule for an operation in a portal session. `endpoint`: its path names an endpoint. `delivery`: its path names a delivery.
 * `filter`: it lists deliveries, by endpoint. `selection`: the `filter` of its body selects deliveries. `endpoints`: its handler
 * lists only the session's endpoints. `account`: it concerns the whole account. `itself`: it concerns the session.
 */
export type PortalRule = Readonly<{
  /** The capability that it needs; null for none. */
  needs: Capability | null;
  /** Another capability that it needs. */
  also?: Capability;
  concerns: "endpoint" | "delivery" | "filter" | "selection" | "endpoints" | "account" | "itself";
  /** The fields that the body may have. */
  fields?: readonly string[];
}>;

/** The part of a change that the audit log records, beside its actor and its time. */
export type Audit = Readonly<{
  /** The fields of the body whose values it shows. Of others it has the names, since they may be secret or large. */
  shows: readonly string[];
  /** Reads the resource before the change; null if there is none. May throw for an invalid id. */
  before?: (accountId: AccountId, params: PathParameters) => Promise<Facts | null>;
}>;

/** Parameters of a path, with external ids replaced by ids. */
export type PathParameters = { id?: string; name?: string; key_id?: string };

/** A path parameter. `external` is the prefix of the id that `~` and an external id can replace. */
type PathParameter = Readonly<{
  description: string;
  example: string;
  schema?: JsonRecord;
  external?: ExternallyNamed;
}>;

export type Success = Readonly<
  { status: 200 | 201 | 202; description: string } & (JsonContent | StreamContent)
>;
type JsonContent = { schema: TSchema; example?: Json; examples?: JsonRecord };
/** An answer of server-sent events, with an example. */
type StreamContent = { stream: string };

/** The facts about a route that the guard needs. */
export type Operation = Readonly<{
  id: string;
  permission: Permission | null;
  ofAllAccounts: boolean;
  /** Null if it concerns one account. */
  cells: CellSpread | null;
  isSignIn: boolean;
  /** True if the receiver's key of the endpoint in its path may call it. */
  forReceivers: boolean;
  portal: PortalRule | null;
  audit: Audit | null;
  /** The names of its query parameters; null to accept any. */
  parameters: readonly string[] | null;
  hasBody: boolean;
  /** The limits of its body's text. */
  bounds: Bounds;
  /** True if it takes an Idempotency-Key; undefined if it does as a POST. */
  takesKey: boolean | undefined;
  /** The kind of id that an external id in `:id` replaces; null if the route allows none. */
  external: ExternallyNamed | null;
  detail: DocumentDecoration;
}>;

/** The operation of unknown paths. Every key may learn that a path does not exist. */
export const UNKNOWN_PATH: Operation = {
  id: "none",
  permission: null,
  ofAllAccounts: false,
  cells: null,
  isSignIn: false,
  forReceivers: true,
  portal: null,
  audit: null,
  parameters: null,
  hasBody: true,
  takesKey: false,
  bounds: MODELLED,
  external: null,
  detail: { hide: true },
};

/**
 * Returns the options of an Elysia route: the guard's macro `operation`, and the schema of its body. So the handler gets `call`,
 * and `body` in the type of its model.
 */
export function operation<Body extends TObject>(
  spec: OperationSpec & { body: DeclaredBody<Body> & { isRaw?: false } },
): { operation: Operation; body: BodySchema<Static<Body>> };
export function operation(spec: OperationSpec): { operation: Operation };
export function operation(spec: OperationSpec): { operation: Operation; body?: BodySchema<unknown> } {
  const { body } = spec;
  if (!body || body.isRaw) return { operation: guarded(spec) };
  return { operation: guarded(spec), body: bodySchema(body.schema, body) };
}

function guarded(spec: OperationSpec): Operation {
  return {
    id: spec.id,
    permission: spec.permission,
    ofAllAccounts: spec.ofAllAccounts ?? false,
    cells: spec.cells ?? null,
    isSignIn: spec.isSignIn ?? false,
    forReceivers: spec.forReceivers ?? false,
    portal: spec.portal ?? null,
    audit: spec.audit ?? null,
    parameters: Object.keys(spec.query?.properties ?? {}),
    hasBody: spec.body !== undefined,
    bounds: spec.body && isFree(spec.body.schema) ? FREE : MODELLED,
    takesKey: spec.takesKey,
    external: spec.path?.id?.external ?? null,
    detail: { operationId: spec.id, [SPEC]: spec } as DocumentDecoration,
  };
}

/** Where a route's `detail` keeps its declaration, for the document and for those who list all operations. */
const SPEC = "x-declaration";

/** Returns the declaration of a route; null if it has none. */
export function specOf(detail: DocumentDecoration | undefined): OperationSpec | null {
  return ((detail as Record<string, unknown> | undefined)?.[SPEC] as OperationSpec | undefined) ?? null;
}

/** True if some field of a model may have any value, such as a payload. */
function isFree({
  type,
  anyOf,
  const: constant,
  properties = {},
  patternProperties = {},
  items,
  additionalProperties,
}: TSchema): boolean {
  if (type === undefined && anyOf === undefined && constant === undefined) return true;
  const named = Object.values<TSchema>({ ...properties, ...patternProperties });
  const inner = [...named, ...(anyOf ?? []), items, additionalProperties];
  return inner.some((each) => typeof each === "object" && isFree(each));
}
