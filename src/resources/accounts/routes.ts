import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Account, type AccountPatch, type Accounts, UnknownPlan } from "../../accounts/account";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import { EXTERNAL_ID_MARK } from "../../accounts/external-id";
import { answer } from "../../api/answer";
import { badRequest } from "../../api/errors";
import { changeOrCreate, checkedExternalId, externalIdInPath } from "../../api/external-ids";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { cursorPage } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { operation } from "../../api/openapi/operation";
import { created, type Posting } from "../../api/posting";
import type { Database } from "../../db/database";
import type { AccountId } from "../../domain/ids";
import {
  ACCOUNT_EXAMPLE,
  ACCOUNT_PATH,
  AccountModel,
  AccountPage,
  CreateAccount,
  PutAccount,
  UpdateAccount,
  viewOfAccount,
} from "./account";

export type AccountOptions = {
  db: Database;
  accounts: Accounts;
  cursors: Cursors;
  authenticator: Pick<Authenticator, "forget">;
  posting: Posting;
};

const tag = "Administration";
const shows = ["name", "plan", "external_id"];
const example = { name: ACCOUNT_EXAMPLE.name, plan: ACCOUNT_EXAMPLE.plan };
const ONE = {
  status: 200,
  description: "The account.",
  schema: AccountModel,
  example: ACCOUNT_EXAMPLE,
} as const;

/** /admin/accounts */
export function accountRoutes(
  guard: Guard,
  { db, accounts, cursors, authenticator, posting }: AccountOptions,
) {
  const find = async (id: string) => {
    const account = await accounts.get(idInPath("acc", id));
    if (account === null) throw noSuch("acc");
    return account;
  };
  const change = async (id: AccountId, wanted: AccountPatch) => {
    const account = await knownPlan(accounts.update(id, wanted));
    // Empties the caches only for these changes, because some customers PUT at every sign-in.
    if (wanted.plan !== undefined || wanted.externalId !== undefined) authenticator.forget();
    return account;
  };
  /** Empties the caches if the external id of a new account may have led to another account until now: `~x` to `x`. */
  const nowNamed = (externalId: string | null | undefined) => {
    if (externalId?.startsWith(EXTERNAL_ID_MARK)) authenticator.forget();
  };
  return new Elysia({ prefix: "/admin/accounts" })
    .use(guard)
    .get(
      "",
      async ({ call: { principal, allowance }, request }) => {
        const page = await cursorPage<Account, AccountId>(request.url, {
          cursors: cursors.of("accounts", principal.accountId),
          keyOf: ({ id }) => id,
          read: (asked) => accounts.page(asked),
          view: viewOfAccount,
        });
        return answer(allowance, 200, page);
      },
      operation({
        id: "listAccounts",
        permission: "accounts:act",
        cells: "merged",
        tag,
        summary: "List accounts",
        query: Type.Object(CURSOR_PARAMETERS),
        success: {
          status: 200,
          description: "A page, newest first.",
          schema: AccountPage,
          example: { data: [ACCOUNT_EXAMPLE], cursor: null },
        },
      }),
    )
    .post(
      "",
      ({ call, request, body: { name, plan, external_id } }) =>
        posting.handle(call, request, () => {
          const externalId = checkedExternalId("acc", external_id);
          const wanted = { name, plan: plan ?? undefined, externalId };
          return async (sql) => {
            const made = await knownPlan(accounts.create(sql, wanted));
            return { ...created(viewOfAccount(made)), afterCommit: () => nowNamed(externalId) };
          };
        }),
      operation({
        id: "createAccount",
        permission: "admin",
        cells: "placed",
        audit: { shows },
        tag,
        summary: "Create an account",
        description:
          "Without `plan`, the account gets the plan that the service is configured with, `HERMOD_DEFAULT_PLAN` (`unlimited` by default).",
        body: { schema: CreateAccount, example },
        success: { ...ONE, status: 201 },
      }),
    )
    .get(
      "/:id",
      async ({ call, params }) => answer(call.allowance, 200, viewOfAccount(await find(params.id))),
      operation({
        id: "getAccount",
        permission: "accounts:act",
        tag,
        summary: "Get an account",
        path: ACCOUNT_PATH,
        success: ONE,
        errors: [404],
      }),
    )
    .patch(
      "/:id",
      async ({ call, params, body: { external_id, ...wanted } }) => {
        const externalId = checkedExternalId("acc", external_id);
        const account = await change(idInPath("acc", params.id), { ...wanted, externalId });
        if (account === null) throw noSuch("acc");
        return answer(call.allowance, 200, viewOfAccount(account));
      },
      operation({
        id: "updateAccount",
        permission: "admin",
        audit: { shows, before: async (_, { id = "" }) => viewOfAccount(await find(id)) },
        tag,
        summary: "Change an account",
        description: "Fields that are left out stay as they are.",
        path: ACCOUNT_PATH,
        body: { schema: UpdateAccount, example: { plan: ACCOUNT_EXAMPLE.plan } },
        success: ONE,
        errors: [404, 409],
      }),
    )
    .put(
      "/:id",
      async ({ call: { allowance }, params, body: wanted }) => {
        const externalId = externalIdInPath("acc", params.id);
        return changeOrCreate({
          find: async () => (externalId === null ? idInPath("acc", params.id) : accounts.idOf(externalId)),
          change: async (id) => {
            const account = await change(id, wanted);
            return account && answer(allowance, 200, viewOfAccount(account));
          },
          create: async () => {
            if (externalId === null) throw noSuch("acc");
            const { name } = wanted;
            if (name === undefined) throw badRequest("name is required to create an account");
            const account = { ...wanted, name, externalId };
            const made = await knownPlan(db.transaction((sql) => accounts.create(sql, account)));
            nowNamed(externalId);
            return answer(allowance, 201, viewOfAccount(made));
          },
        });
      },
      operation({
        id: "putAccount",
        permission: "admin",
        cells: "placed",
        audit: { shows },
        tag,
        summary: "Create or change an account by its external id",
        description:
          "Put `~` and the `external_id` in the path. If no account has it, this creates the account, and `name` is required. " +
          "Otherwise this changes the account like PATCH.",
        path: ACCOUNT_PATH,
        body: { schema: PutAccount, example },
        success: [
          { ...ONE, description: "The account, changed." },
          { ...ONE, status: 201, description: "The account, created." },
        ],
        errors: [404, 409],
      }),
    );
}

async function knownPlan<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UnknownPlan
      ? badRequest("plan must be the name of a plan; GET /admin/plans lists them")
      : error;
  }
}
