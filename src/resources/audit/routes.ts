import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { badRequest } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { cursorPage } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { Query } from "../../api/lists/query";
import { type OperationSpec, operation } from "../../api/openapi/operation";
import { timestamp } from "../../api/openapi/schema";
import type { AuditFilter, AuditLog } from "../../audit/audit-log";
import { type AccountId, type AuditId, fromText, type Prefix } from "../../domain/ids";
import { ACCOUNT_PARAMETER, readAccount } from "../accounts/account-filter";
import { AUDIT_EXAMPLE, AuditPageModel, viewOfEntry } from "./entry";

const text = (description: string) => Type.String({ minLength: 1, description });
const FILTERS = {
  key_id: text("Only changes by this key, also by its sessions."),
  person: text("Only changes by this person."),
  operation: text(
    "Only this operation, such as `updateEndpoint`; one that the audit log never has is a 400.",
  ),
  target: text("Only changes of the resource with this id or name, such as `ep_…`."),
  after: timestamp("Only changes at or after this time."),
  before: timestamp("Only changes before this time."),
};
const NAMES = ["key_id", "person", "operation", "target", "after", "before"] as const;

/** The parts that both lists share. */
const LISTED = {
  description:
    "Newest first: each change with its time, and the key or person. Has every request that changed something, except sends, with the changed " +
    "fields and without secrets, for `HERMOD_AUDIT_RETENTION`.",
  success: {
    status: 200 as const,
    description: "A page.",
    schema: AuditPageModel,
    example: { data: [AUDIT_EXAMPLE], cursor: null },
  },
};

export type AuditOptions = {
  auditLog: AuditLog;
  accounts: Pick<Accounts, "find">;
  cursors: Cursors;
  /** Returns the declarations of all routes. */
  operations(): OperationSpec[];
};

/** /admin/audit and /activity */
export function auditRoutes(guard: Guard, options: AuditOptions) {
  return new Elysia()
    .use(guard)
    .get(
      "/admin/audit",
      async ({ call, request }) => list(options, call, request.url, await accountIn(options, request.url)),
      operation({
        ...LISTED,
        id: "listAudit",
        permission: "admin",
        cells: "merged",
        tag: "Administration",
        summary: "List the changes in all accounts",
        query: Type.Object({
          ...CURSOR_PARAMETERS,
          account_id: text("Only changes about the account with this id. Not together with `account`."),
          ...ACCOUNT_PARAMETER,
          ...FILTERS,
        }),
      }),
    )
    .get(
      "/activity",
      ({ call, request }) => list(options, call, request.url, call.principal.accountId),
      operation({
        ...LISTED,
        id: "listActivity",
        permission: "endpoints:read",
        tag: "Account",
        summary: "List the changes in the account",
        query: Type.Object({ ...CURSOR_PARAMETERS, ...FILTERS }),
      }),
    );
}

async function list(
  { auditLog, cursors, operations }: AuditOptions,
  { principal, allowance }: Call,
  url: string,
  accountId: AccountId | undefined,
): Promise<Response> {
  const audited = operations().flatMap(({ id, audit }) => (audit ? [id] : []));
  const filter = { ...filterIn(url, audited.sort()), accountId };
  const found = await cursorPage(url, {
    cursors: cursors.of<AuditId>(accountId === undefined ? "audit" : "activity", principal.accountId),
    keyOf: ({ id }) => id,
    read: (asked) => auditLog.page(filter, asked),
    view: viewOfEntry,
  });
  return answer(allowance, 200, found);
}

function filterIn(url: string, audited: string[]): AuditFilter {
  const query = new Query(url, NAMES);
  const { after, before } = query.range();
  return {
    keyId: idIn("key", "key_id", query.text("key_id")),
    person: query.text("person"),
    operation: query.oneOf("operation", audited),
    target: query.text("target"),
    from: after,
    before,
  };
}

async function accountIn(
  { accounts }: Pick<AuditOptions, "accounts">,
  url: string,
): Promise<AccountId | undefined> {
  const query = new Query(url, ["account", "account_id"]);
  const id = idIn("acc", "account_id", query.text("account_id"));
  if (id === undefined) return readAccount(query, accounts);
  if (query.has("account")) throw badRequest("account and account_id can't be given together");
  return id;
}

function idIn<P extends Prefix>(prefix: P, name: string, text: string | undefined) {
  const id = text === undefined ? undefined : fromText(prefix, text);
  if (id === null) throw badRequest(`${name} must be an id, ${prefix}_…`);
  return id;
}
